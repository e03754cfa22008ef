//! What the generator refuses, and what it says: each case is a change to the golden contract.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use openapi_codegen::Contract;

fn golden() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contract.yaml")).unwrap()
}

/// The findings for the golden contract with `old` replaced by `new`.
#[track_caller]
fn refused(old: &str, new: &str) -> String {
    let text = golden();
    assert!(text.contains(old), "the golden contract has no {old:?}");
    match Contract::parse(&text.replacen(old, new, 1)) {
        Ok(_) => panic!("{new:?} is not refused"),
        Err(findings) => findings.to_string(),
    }
}

#[track_caller]
fn says(old: &str, new: &str, expected: &str) {
    let findings = refused(old, new);
    assert!(
        findings.contains(expected),
        "{new:?} gives\n{findings}\nnot {expected:?}"
    );
    let line = findings.lines().next().unwrap();
    assert!(line.starts_with("openapi.yaml:"), "no place in {line}");
}

#[test]
fn unknown_keywords() {
    says(
        "{type: string, maxLength: 50}",
        "{type: string, maxLenght: 50}",
        "unknown keyword `maxLenght` in a string",
    );
    says(
        "uniqueItems: true",
        "contains: {}",
        "unknown keyword `contains` in an array",
    );
    says(
        "minimum: 1, maximum: 500",
        "exclusiveMinimum: 1, maximum: 500",
        "unknown keyword `exclusiveMinimum`",
    );
    says(
        "      deprecated: true\n",
        "      callbacks: {}\n",
        "unknown keyword `callbacks` in PUT",
    );
    says(
        "tags:\n  - {",
        "webhooks: {}\ntags:\n  - {",
        "unknown keyword `webhooks` in the document",
    );
    says("format: uri", "format: ipv4", "unknown format `ipv4`");
    says("{type: boolean, default: true}", "{type: bool}", "unknown type `bool`");
}

#[test]
fn incomplete_operations() {
    says("      operationId: listShelves\n", "", "has no operationId");
    says("      summary: List shelves\n", "", "has no summary");
    says("      description: Lists shelves.\n", "", "has no description");
    says("      tags: [shelves]\n", "", "does not have exactly one known tag");
    says(
        "      tags: [shelves]\n",
        "      tags: [attic]\n",
        "does not have exactly one known tag",
    );
    says(
        "      x-access: {resource: caller, level: authenticated}\n",
        "",
        "listShelves has no x-access",
    );
    says(
        "              example: {count: 0, items: []}\n",
        "",
        "listShelves: the answer has no example",
    );
    says(
        "        '401': {$ref: '#/components/responses/Failed'}\n",
        "",
        "does not declare the response 401",
    );
    says(
        "        '413': {$ref: '#/components/responses/Failed'}\n",
        "",
        "does not declare the response 413",
    );
    says(
        "        '204': {description: Done.}\n",
        "",
        "putBook has no success response",
    );
    says(
        "operationId: createShelf",
        "operationId: listShelves",
        "two operations are called `listShelves`",
    );
}

#[test]
fn access_that_cannot_be_decided() {
    says(
        "level: own, orSelf",
        "level: destroy, orSelf",
        "`shelf` has no level `destroy`",
    );
    says(
        "{resource: shelf, level: own",
        "{resource: attic, level: own",
        "unknown access resource `attic`",
    );
    says(
        "orSelf: bookId",
        "orSelf: userId",
        "access needs the path parameter `userId`",
    );
}

#[test]
fn parameters_that_do_not_fit_the_path() {
    says(
        "name: bookId, in: path",
        "name: booksId, in: path",
        "path parameter `booksId` is not in the path",
    );
    says(
        "name: bookId, in: path",
        "name: booksId, in: path",
        "`{bookId}` of the path",
    );
    says(
        "name: bookId, in: path, required: true",
        "name: bookId, in: path",
        "path parameter `bookId` is not required",
    );
    says("name: limit, in: query", "name: limit, in: cookie", "is not supported");
}

#[test]
fn references_and_names() {
    let renamed = golden()
        .replace("schemas/Note'", "schemas/Value'")
        .replace("    Note:\n", "    Value:\n");
    let findings = Contract::parse(&renamed).unwrap_err().to_string();
    assert!(
        findings.contains("generated code gives the name `Value` another meaning"),
        "{findings}"
    );
    says(
        "'#/components/schemas/Note'}",
        "'#/components/schemas/Memo'}",
        "`#/components/schemas/Memo` leads",
    );
    says("    Colour: {type", "    colour_name: {type", "leads");
    says(
        "required: [text]",
        "required: [words]",
        "required member `words` is not among the properties of `Note`",
    );
    says(
        "mapping: {board:",
        "mapping: {plank:",
        "maps {\"plank\"} to `Board`, whose member `type` allows {\"board\"}",
    );
}

#[test]
fn values_that_break_their_own_schema() {
    says(
        "title: Novels, owner: null",
        "title: novels, owner: null",
        "the value does not fit its schema",
    );
    says("default: 20", "default: 2000", "the value does not fit its schema");
    says(
        "example: {text: Signed.}",
        "example: {text: 3}",
        "the value does not fit its schema",
    );
}

#[test]
fn requests_without_bounds() {
    says(
        "{type: string, maxLength: 50}",
        "{type: string}",
        "Note.text is part of a request and has no maxLength",
    );
    says(
        "              maxItems: 3\n",
        "",
        "Shelf.labels is part of a request and has no maxItems",
    );
    says(
        "minimum: 1, maximum: 500",
        "minimum: 1",
        "Shelf.places is part of a request and has no maximum",
    );
    says(
        "{type: object, maxProperties: 9, additionalProperties: true}",
        "{type: object, additionalProperties: true}",
        "has no maxProperties",
    );
    says(
        "      additionalProperties: true\n      required: [text]",
        "      required: [text]",
        "does not say whether further members",
    );
}

#[test]
fn patterns_and_recursion() {
    says("'^[A-Z]'", "'^(?=[A-Z])'", "the pattern does not compile");
    says(
        "{type: array, maxItems: 9, items: {$ref: '#/components/schemas/Part'}}\n    Error:",
        "{$ref: '#/components/schemas/Part'}\n    Error:",
        "holds itself",
    );
}

#[test]
fn all_findings_at_once_in_order() {
    let findings = {
        let text = golden()
            .replacen("maxLength: 50", "maxLenght: 50", 1)
            .replacen("format: uri", "format: ipv4", 1);
        Contract::parse(&text).unwrap_err()
    };
    let lines: Vec<usize> = findings.iter().map(|finding| finding.place.line).collect();
    assert!(lines.len() >= 2 && lines.is_sorted(), "{findings}");
    assert!(findings.iter().all(|finding| !finding.help.is_empty()));
}

#[test]
fn what_is_no_yaml() {
    for text in ["a: [", "a: 1\na: 2", "--- 1\n--- 2", "a: &x 1\nb: *x"] {
        let findings = Contract::parse(text).unwrap_err().to_string();
        assert!(findings.starts_with("openapi.yaml:"), "{findings}");
    }
}
