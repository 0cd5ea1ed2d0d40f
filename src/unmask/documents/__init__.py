"""The JSON documents that commands write: their form as types, their published schemas, and their text.

Each document is a `TypedDict`; the function that builds it returns that type, so mypy compares every key. The JSON
Schemas beside this file are generated from these types, and from the models of files, by
`python -m tests.docs.json_page`.
"""
