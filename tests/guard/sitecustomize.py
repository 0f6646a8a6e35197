"""Python imports this at start when its folder is on PYTHONPATH: children are guarded as well."""

from network_guard import install

install()
