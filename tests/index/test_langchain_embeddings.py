from __future__ import annotations

from langchain_core.vectorstores import InMemoryVectorStore

from assistant.index.langchain_embeddings import MiniLMEmbeddings


def test_a_store_of_langchain_finds_by_meaning() -> None:
    store = InMemoryVectorStore(MiniLMEmbeddings())
    store.add_texts(["The cache of keys and values is reused.", "Robots learn to grasp objects."])
    (found,) = store.similarity_search("manipulation with a robot arm", k=1)
    assert found.page_content == "Robots learn to grasp objects."
