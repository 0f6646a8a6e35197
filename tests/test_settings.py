from __future__ import annotations

import pickle
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import SettingsError
from assistant.settings import ENV_PREFIX, Settings, load_settings
from tools.env_example import TARGET, env_example, variable

FIELDS = sorted(Settings.model_fields)
# A value other than the default, and what it reads as.
OTHER = {
    "data_dir": "elsewhere",
    "collection": "mine",
    "chroma_url": "http://localhost:2",
    "chroma_token": "other-token",
    "chroma_tenant": "other-tenant",
    "chroma_database": "other-database",
    "embedder": "none",
    "model": "openai:other",
    "openai_api_key": "sk-other",
    "openai_base_url": "http://localhost:1/v1",
    "prompts_dir": "my-prompts",
    "context_tokens": "2000",
    "answer_tokens": "100",
    "temperature": "0.5",
    "connect_timeout": "1.5",
    "first_token_timeout": "1.5",
    "stall_timeout": "1.5",
    "total_timeout": "1.5",
    "max_retries": "0",
    "max_sources": "3",
    "max_judged": "31",
    "parallel_calls": "2",
    "unverified": "drop",
    "max_question_chars": "500",
    "log_level": "debug",
}


def name_of(field: str) -> str:
    return variable(field, Settings.model_fields[field])


def read(field: str, settings: Settings) -> str:
    value = getattr(settings, field)
    secret = getattr(value, "get_secret_value", None)
    return str(secret() if secret else value)


def test_every_setting_has_a_sample_and_a_description() -> None:
    assert sorted(OTHER) == FIELDS
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("field", FIELDS)
def test_environment_wins_over_the_default(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name_of(field), OTHER[field])
    assert read(field, load_settings()) == OTHER[field]


@pytest.mark.parametrize("field", FIELDS)
def test_dotenv_is_read_and_the_environment_wins_over_it(
    field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name_of(field), raising=False)
    untouched = read(field, load_settings())
    Path(".env").write_text(f"{name_of(field)}={OTHER[field]}\n", encoding="utf-8")
    assert read(field, load_settings()) == OTHER[field]
    if untouched != "None":
        monkeypatch.setenv(name_of(field), untouched)
        assert read(field, load_settings()) == untouched


@pytest.mark.parametrize("field", FIELDS)
def test_an_argument_wins_over_the_environment(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    default = read(field, Settings())
    monkeypatch.setenv(name_of(field), default if default != "None" else "http://localhost:3")
    assert read(field, load_settings(**{field: OTHER[field]})) == OTHER[field]


@pytest.mark.parametrize("field", FIELDS)
def test_none_as_an_argument_means_not_given(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name_of(field), OTHER[field])
    assert read(field, load_settings(**{field: None})) == OTHER[field]


@pytest.mark.parametrize("field", FIELDS)
def test_an_empty_variable_is_unset(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name_of(field), raising=False)
    default = read(field, load_settings())
    monkeypatch.setenv(name_of(field), "")
    assert read(field, load_settings()) == default


@pytest.mark.parametrize("field", FIELDS)
def test_a_blank_variable_is_unset_or_refused(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name_of(field), raising=False)
    default = read(field, load_settings())
    monkeypatch.setenv(name_of(field), "   ")
    with suppress(SettingsError):
        assert read(field, load_settings()) == default


@pytest.mark.parametrize("field", ["data_dir", "prompts_dir"])
def test_a_tilde_means_the_home_folder(
    field: str, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name_of(field), "~/papers")
    assert read(field, load_settings()) == str(isolated_home / "papers")


def test_a_misspelt_variable_is_refused_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSISTANT_MODLE", "none")
    with pytest.raises(SettingsError, match=r"ASSISTANT_MODLE.*ASSISTANT_MODEL\?"):
        load_settings()


def test_a_misspelt_name_in_dotenv_is_refused_and_names_the_file() -> None:
    Path(".env").write_text("ASSISTANT_COLECTION=x\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"\.env.*ASSISTANT_COLLECTION\?"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ASISTANT_MODEL", "ASSISTANT_MODEL"),
        ("ASSITANT_DATA_DIR", "ASSISTANT_DATA_DIR"),
        ("ASSISTENT_EMBEDDER", "ASSISTANT_EMBEDDER"),
        ("assistant_modle", "ASSISTANT_MODEL"),
        ("ASSISTANT_BASE_URL", "OPENAI_BASE_URL"),
    ],
)
def test_a_misspelt_prefix_is_found_wherever_it_stands(
    name: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".env").write_text(f"{name}=x\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=rf"{name} in \.env: did you mean {meant}\?"):
        load_settings()
    Path(".env").unlink()
    monkeypatch.setenv(name, "x")
    with pytest.raises(SettingsError, match=rf"{name} in the environment: did you mean {meant}\?"):
        load_settings()


def test_another_name_for_a_setting_is_refused_in_dotenv_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://h/v1")
    load_settings()
    Path(".env").write_text("OPENAI_API_BASE=http://h/v1\n", encoding="utf-8")
    with pytest.raises(
        SettingsError, match=r"OPENAI_API_BASE in \.env: did you mean OPENAI_BASE_URL"
    ):
        load_settings()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h/v1")
    load_settings()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ASSISTANT_MODEL\n", 1),
        ("ASSISTANT_MODEL none\n", 1),
        ("ASSISTANT_MODEL: none\n", 1),
        ("# keys\n\nOPENAI_API_KEY=x\n\n  \nsk-very-secret\n", 6),
        ("export ASSISTANT_MODEL\n", 1),
        ("A='one\nB=2\n", 1),
        ('A="one\ntwo"\n=x\n', 3),
    ],
)
def test_a_line_that_sets_nothing_is_refused_by_its_number(text: str, line: int) -> None:
    Path(".env").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(f".env, line {line}: ")
    assert "sk-very-secret" not in str(caught.value)


def test_what_a_dotenv_may_hold() -> None:
    text = "\ufeffASSISTANT_MODEL = none # off\r\n\r\n# x\r\nexport ASSISTANT_MAX_SOURCES='3'\r\nexport PATH\r\n"
    Path(".env").write_bytes(text.encode())
    settings = load_settings()
    assert (settings.model, settings.max_sources) == ("none", 3)


@given(st.text(max_size=60))
def test_any_dotenv_is_read_or_refused_in_one_line(text: str) -> None:
    Path(".env").write_text(text, encoding="utf-8", errors="replace")
    told = ""
    try:
        load_settings()
    except SettingsError as error:
        told = str(error)
    Path(".env").unlink()
    assert len(told.splitlines()) <= 1


def test_names_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANTS_HOME", "x")
    monkeypatch.setenv("OPENAI_ORG_ID", "x")
    Path(".env").write_text("DATABASE_URL=x\n", encoding="utf-8")
    load_settings()


def test_a_misspelt_argument_is_refused() -> None:
    with pytest.raises(SettingsError, match="temprature"):
        load_settings(temprature=1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASSISTANT_TEMPERATURE", "warm"),
        ("ASSISTANT_TEMPERATURE", "3"),
        ("ASSISTANT_TEMPERATURE", "nan"),
        ("ASSISTANT_TOTAL_TIMEOUT", "0"),
        ("ASSISTANT_TOTAL_TIMEOUT", "nan"),
        ("ASSISTANT_TOTAL_TIMEOUT", "inf"),
        ("ASSISTANT_STALL_TIMEOUT", "-1"),
        ("ASSISTANT_CONNECT_TIMEOUT", "1e400"),
        ("ASSISTANT_ANSWER_TOKENS", "16000"),
        ("ASSISTANT_ANSWER_TOKENS", "9" * 30),
        ("ASSISTANT_PARALLEL_CALLS", "0"),
        ("ASSISTANT_MAX_JUDGED", "5001"),
        ("ASSISTANT_CONTEXT_TOKENS", "-1"),
        ("ASSISTANT_CONTEXT_TOKENS", "1.5"),
        ("ASSISTANT_MAX_RETRIES", "11"),
        ("ASSISTANT_UNVERIFIED", "hide"),
        ("ASSISTANT_LOG_LEVEL", "loud"),
        ("ASSISTANT_COLLECTION", "../etc"),
        ("ASSISTANT_COLLECTION", "a b"),
        ("ASSISTANT_COLLECTION", "name\n"),
    ],
)
def test_a_bad_value_is_refused_in_one_line_that_names_the_setting(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_log_level_takes_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_LOG_LEVEL", "DEBUG")
    assert load_settings().log_level == "debug"


def test_the_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    settings = load_settings()
    shown = [repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())]
    assert [text for text in shown if "sk-very-secret" in text] == []
    assert read("openai_api_key", pickle.loads(pickle.dumps(settings))) == "sk-very-secret"


def test_a_bad_key_is_not_shown_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("ASSISTANT_MAX_SOURCES", "many")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "sk-very-secret" not in str(caught.value)


def test_settings_do_not_change() -> None:
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.collection = "other"  # type: ignore[misc]


@given(st.text(max_size=70))
def test_a_collection_is_a_safe_file_name_or_refused(name: str) -> None:
    try:
        collection = load_settings(collection=name).collection
    except SettingsError:
        return
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]", collection)
    assert Path(collection).name == collection


def test_env_example_is_current() -> None:
    assert TARGET.read_text(encoding="utf-8") == env_example(), "run `make env-example`"


def test_env_example_as_dotenv_changes_nothing() -> None:
    before = load_settings()
    Path(".env").write_text(env_example(), encoding="utf-8")
    assert load_settings() == before


def test_env_example_lists_every_setting_and_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSISTANT_DATA_DIR")
    before = load_settings()
    lines = re.findall(r"^#([A-Z_]+=.*)$", env_example(), re.MULTILINE)
    assert [line.partition("=")[0] for line in lines] == [
        name_of(field) for field in Settings.model_fields
    ]
    Path(".env").write_text("\n".join(lines), encoding="utf-8")
    assert load_settings() == before


def test_the_prefix_is_the_documented_one() -> None:
    assert ENV_PREFIX == "ASSISTANT_"


@pytest.mark.parametrize("token", ["secr\net", "secr€t", "two words"])
def test_a_token_that_no_header_takes_is_refused_without_showing_it(token: str) -> None:
    with pytest.raises(SettingsError, match="CHROMA_TOKEN") as refused:
        load_settings(chroma_token=token)
    assert token not in str(refused.value)
    assert "secr" not in str(refused.value)
