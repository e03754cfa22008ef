"""Sources that are no documents, or that are made to do harm."""

from documents import KUBERNETES, read

PETSTORE = "@readme/oas-examples/3.0/yaml/petstore.yaml"


def sources(publish):
    """Each with a name, its source and the code of its error."""
    petstore = read(PETSTORE)
    middle = len(petstore) // 2
    kubernetes = read(KUBERNETES)
    for name, data in (
        ("html", b"<!DOCTYPE html><title>Not found</title>"),
        ("not-utf-8", petstore[:middle] + b"\xff" + petstore[middle:]),
        ("two-documents", petstore + b"\n---\n" + petstore),
        ("cut-off", kubernetes[: len(kubernetes) // 2]),
        ("aliases", bomb()),
        ("deep", deep(200)),
    ):
        yield name, {"url": publish(name, data)}, "PARSE_ERROR"
    yield "nowhere", {"url": publish("nowhere", None)}, "FETCH_ERROR"


def bomb():
    """Lists of lists of lists, each of nine times the one before."""
    lists = [b"x-0: &a0 [lol]"]
    lists += [b"x-%d: &a%d [%s]" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 9)) for level in range(1, 30)]
    return b"\n".join([b"openapi: 3.1.0", b"info: {title: Lists, version: '1'}", b"paths: {}", *lists])


def deep(levels):
    schema = '{"allOf": [' * levels + "{}" + "]}" * levels
    return f'{{"openapi": "3.0.0", "info": {{"title": "Deep", "version": "1"}}, "paths": {{}}, "components": {{"schemas": {{"A": {schema}}}}}}}'.encode()
