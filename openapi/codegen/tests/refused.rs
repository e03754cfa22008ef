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
        "      deprecated: true\n",
        "      x-ignored-values: [/kind]\n",
        "names no members that may be ignored",
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
fn unknown_scopes() {
    says(
        "x-scope: any",
        "x-scope: shelf:write",
        "listShelves: `x-scope` names `shelf:write`, which is no value of `IntegrationScope`",
    );
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
        "            example: {kind: shelf, title: Novels, owner: null, parts: []}\n",
        "",
        "createShelf: the request body has no example\n    Add an `example` here, or to `Shelf.title`.",
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
    let within = "within: {level: own, resource: shelf}, ";
    says(within, "", "`target` is named by the body alone");
    let inner = "within: {level: own, resource: page}, ";
    says(within, inner, "`target` is not within a level of an earlier resource");
    says(
        "required: [to]\n      properties: {to:",
        "required: [from]\n      properties: {from:",
        "moveShelf: access needs the member `to` of the body",
    );
    says(
        "bodyMembers: [to]",
        "bodyMembers: [to.shelf]",
        "moveShelf: access needs the member `to.shelf` of the body",
    );
}

#[test]
fn always_answered_members_are_optional_lists() {
    says(
        "x-always-answered: [pages]",
        "x-always-answered: [page]",
        "`page`, which is always answered, is not an optional list of the object",
    );
}

#[test]
fn members_that_exclude_each_other_are_optional() {
    let problem = "`x-at-most-one` does not name several optional members without a default";
    for names in ["[mark]", "[mark, text]", "[mark, none]"] {
        says(
            "x-at-most-one: [mark, colour]",
            &format!("x-at-most-one: {names}"),
            problem,
        );
    }
    says(
        "required: [up]\n      properties: {",
        "required: [up]\n      x-at-most-one: [by, of]\n      properties: {of: {type: string, maxLength: 9}, ",
        "`MoveUp`, a choice of `Move`, has members that exclude each other",
    );
}

#[test]
fn examples_that_old_clients_do_not_know() {
    says(
        "enum: [red, dark-blue, '3d'],",
        "enum: [red, dark-blue, '3d'], x-newer-values: [red],",
        "the value does not match its schema: \"red\" is not one of",
    );
    says(
        "{type: string, const: shelf, description: What it is.}",
        "{type: string, const: shelf, x-newer-values: [shelf], description: What it is.}",
        "the value does not match its schema",
    );
}

#[test]
fn objects_that_members_do_not_tell_apart() {
    says(
        "      required: [up]\n",
        "",
        "two choices of this oneOf have no required member of their own",
    );
    says(
        "up: {type: integer, minimum: 1, maximum: 9}, by: {type: string, maxLength: 9}",
        "up: {type: integer, minimum: 1, maximum: 9}, by: {type: string, maxLength: 8}",
        "two choices of `Move` have different members `by`",
    );
    says(
        "MoveAway: {type: object, additionalProperties: false}",
        "MoveAway: {type: object, additionalProperties: true, properties: {}}",
        "`MoveAway`, a choice of `Move`, allows further members",
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
fn wildcards_out_of_place() {
    says(
        "name: bookId, in: path, required: true",
        "name: bookId, in: path, x-wildcard: false, required: true",
        "`bookId` cannot match the rest of the path",
    );
    says(
        "{name: shelfId, in: path, required: true, x-id-of: [Shelf.title], schema: {type: string, maxLength: 32, x-id: node}}\n      - {name: filePath",
        "{name: shelfId, in: path, required: true, x-wildcard: true, schema: {type: string, maxLength: 32, x-id: node}}\n      - {name: filePath",
        "`shelfId` cannot match the rest of the path",
    );
    says(
        "name: limit, in: query",
        "name: limit, in: query, x-wildcard: true",
        "`limit` cannot match the rest of the path",
    );
    says(
        "x-wildcard: true, schema: {type: string, maxLength: 99}",
        "x-wildcard: true, schema: {type: integer, minimum: 0, maximum: 9}",
        "`filePath` cannot match the rest of the path",
    );
    says(
        "{type: string, maxLength: 99}",
        "{type: string, maxLength: 99, x-wildcard: true}",
        "unknown keyword `x-wildcard` in a string",
    );
    says(
        "/v1/shelves/{shelfId}/books/{bookId}",
        "/v1/shelves/{shelfId}/files/{bookId}",
        "putBook: readFile also matches the path /v1/shelves/{shelfId}/files/{bookId}",
    );
}

#[test]
fn headers_that_are_no_parameters() {
    for name in ["Accept", "content-type", "Authorization"] {
        says(
            "name: X-Reason",
            &format!("name: {name}"),
            &format!("`{name}` cannot be a header parameter"),
        );
    }
    says(
        "name: X-Reason",
        "name: X Reason",
        "`X Reason` is not a valid header name",
    );
    says(
        "schema: {type: string, maxLength: 9, pattern: '^[A-Z]'}",
        "schema: {type: boolean}",
        "the header parameter `X-Reason` is not a string",
    );
    says(
        "maxLength: 9, pattern",
        "pattern",
        "readFile: parameter `X-Reason` is part of a request and has no maxLength",
    );
}

#[test]
fn errors_of_operations() {
    says(
        "  body: [too-large",
        "  bodies: [too-large",
        "`bodies` is not a rule of x-implied-errors",
    );
    says(
        "  input: [invalid-request]\n",
        "",
        "x-implied-errors has no errors for `input`",
    );
    says("x-implied-errors:", "x-other:", "the document has no x-implied-errors");
    says("x-error-words:", "x-other:", "the document has no x-error-words");
    says(
        "x-errors: [changed]",
        "x-errors: [changes]",
        "`changes` is not a word of x-error-words that operations answer",
    );
    // No operation is reached where the server answers this.
    says(
        "x-errors: [changed]",
        "x-errors: [gone]",
        "`gone` is not a word of x-error-words that operations answer",
    );
    says(
        "        '204': {description: Done.}",
        "        '204': {description: Done.}\n        '409': {$ref: '#/components/responses/Failed'}",
        "the response 409 does not say which errors it is for",
    );
    says(
        "x-refusals: {torn: /body/text}",
        "x-refusals: {ripped: /body/text}",
        "x-refusals names `ripped`, which is neither a rule nor a group of rules",
    );
    says(
        "x-refusals: {torn: /body/text}",
        "x-refusals: {torn: /body/title}",
        "writeFile: the operation does not read `/body/title`",
    );
}

#[test]
fn faults_of_the_published_document() {
    says(
        "`red`, `dark-blue` or `3d`",
        "`red` or `3d`",
        "the description of `Colour` does not explain the value `dark-blue`",
    );
    says(
        "x-id-of: [Shelf.title]",
        "x-id-of: [Shelf.shade]",
        "`x-id-of` names `Shelf.shade`, and no schema `Shelf` has the member `shade`",
    );
}

#[test]
fn answers_whose_headers_are_not_supported() {
    let tag = "headers: {ETag: {$ref: '#/components/headers/ETag'}}";
    says(
        tag,
        "headers: {Age: {$ref: '#/components/headers/ETag'}}",
        "readFile: the response header `Age` is not supported here",
    );
    says(
        tag,
        "headers: {Location: {$ref: '#/components/headers/ETag'}, ETag: {$ref: '#/components/headers/ETag'}}",
        "readFile: the response header `ETag` is not supported here",
    );
    says(
        "ETag: {description: The state., required: true, schema",
        "ETag: {description: The state., style: simple, schema",
        "unknown keyword `style` in a header",
    );
    says(
        "        '204': {description: Done.}",
        "        '204': {description: Done., headers: {ETag: {$ref: '#/components/headers/ETag'}}}",
        "putBook: a response without content has headers",
    );
    says(
        "          headers: {ETag: {$ref: '#/components/headers/ETag'}}\n          content:\n            application/json:\n              \
         schema: {$ref: '#/components/schemas/Note'}\n              example: {text: Signed.}\n        '304'",
        "          headers: {ETag: {$ref: '#/components/headers/ETag'}}\n          content:\n            application/json:\n              \
         schema: {type: array, items: {$ref: '#/components/schemas/Note'}}\n        '304'",
        "readFile: a response whose body is a list has headers",
    );
}

#[test]
fn conditional_reads_that_are_none() {
    let (tag, not_one) = (
        "          headers: {ETag: {$ref: '#/components/headers/ETag'}}\n",
        "readFile: 304 is not the response to a conditional read",
    );
    says(
        &format!("          description: The file.\n{tag}"),
        "          description: The file.\n",
        not_one,
    );
    says(
        &format!("          description: It is the same.\n{tag}"),
        "          description: It is the same.\n",
        not_one,
    );
    says(
        "          description: It is the same.\n",
        "          description: It is the same.\n          content: {application/json: {schema: {$ref: '#/components/schemas/Note'}, example: {text: x}}}\n",
        not_one,
    );
    says(
        "name: If-None-Match",
        "name: X-Kept",
        "readFile: the request has no condition for the 304",
    );
    says(
        "        '201':\n          description: The file as written.\n          headers",
        "        '304': {description: It is the same., headers: {ETag: {$ref: '#/components/headers/ETag'}}}\n        '200':\n          description: The file as written.\n          headers",
        "writeFile: the request has no condition for the 304",
    );
}

/// Client generators make types of what is written within a schema, and call them after the schema and the member.
#[test]
fn names_that_client_generators_give_twice() {
    let twice = |name: &str| format!("`{name}`\n    Rename the component.");
    for name in [
        "ShelfTitle",
        "ShelfOwner",
        "ShelfSite",
        "ShelfLabelsItem",
        "ReadFileXReason",
    ] {
        let renamed = golden()
            .replace("schemas/Note'", &format!("schemas/{name}'"))
            .replace("    Note:\n", &format!("    {name}:\n"));
        let findings = Contract::parse(&renamed).unwrap_err().to_string();
        assert!(findings.contains(&twice(name)), "{findings}");
    }
    // A text of its own, called like an object within another schema.
    let word = golden()
        .replace(
            "{type: string, maxLength: 50}",
            "{$ref: '#/components/schemas/ShelfSize'}",
        )
        .replace(
            "    Note:\n",
            "    ShelfSize: {type: string, maxLength: 50}\n    Note:\n",
        );
    let findings = Contract::parse(&word).unwrap_err().to_string();
    assert!(findings.contains(&twice("ShelfSize")), "{findings}");
    // Members without rules, and such that refer to it, leave the name free.
    for free in ["ShelfOpen", "ShelfColour"] {
        let renamed = golden()
            .replace("schemas/Colour'", &format!("schemas/{free}'"))
            .replace("    Colour:", &format!("    {free}:"));
        if let Err(findings) = Contract::parse(&renamed) {
            panic!("{findings}");
        }
    }
}

#[test]
fn names_of_constructors_in_go() {
    let renamed = golden()
        .replace("schemas/Note'", "schemas/NewShelf'")
        .replace("    Note:\n", "    NewShelf:\n");
    let findings = Contract::parse(&renamed).unwrap_err().to_string();
    let expected = "`NewShelf` has the name of the constructor of `Shelf` in clients in Go\n    Rename the schema, such as to `ShelfInput`.";
    assert!(findings.contains(expected), "{findings}");
}

#[test]
fn members_that_hide_the_type_of_a_format_in_python() {
    for name in ["date", "datetime", "time", "uuid"] {
        says(
            "since: {type: string, format: date-time}",
            &format!("{name}: {{type: string, format: date-time}}"),
            &format!("the member `{name}` of `Shelf` has the name of the type of a format in clients in Python"),
        );
    }
    // The member beside it has the format.
    says(
        "fixed: {type: boolean, const: true}",
        "datetime: {type: boolean, const: true}",
        "the member `datetime` of `Shelf` has the name",
    );
    let plain = golden().replace(
        "since: {type: string, format: date-time}",
        "date: {type: string, maxLength: 50}",
    );
    assert!(Contract::parse(&plain).is_ok());
}

#[test]
fn scales_of_levels() {
    says(
        "levels: [view, own], scale: ownership",
        "levels: [view, own]",
        "the access resource `shelf` has several levels without a scale",
    );
    says(
        "levels: [authenticated]",
        "levels: [authenticated], scale: ownership",
        "or a scale for one level",
    );
    says(
        "levels: [view, own], scale: ownership}",
        "levels: [view, own], scale: ownership}\n  table: {description: A table., parameters: [], levels: [own, view], scale: ownership}",
        "the access resources `table` and `shelf` have one scale and different levels, or the reverse",
    );
}

#[test]
fn tags_and_their_groups() {
    let group = "  - {name: Library, tags: [shelves]}";
    says(
        group,
        "  - {name: Halls, tags: [shelves]}",
        "the tag group `Halls` is not a context",
    );
    says(
        group,
        "  - {name: Library, tags: [shelves]}\n  - {name: Identity, tags: [shelves]}",
        "the tag group `Identity` is not a context, or not in the order of the contexts",
    );
    says(
        group,
        "  - {name: Library, tags: [shelves]}\n  - {name: Insights, tags: [shelves]}",
        "the tag `shelves` is in 2 tag groups",
    );
    says(
        group,
        "  - {name: Library, tags: []}",
        "the tag group `Library` has no tags",
    );
    says(
        group,
        "  - {name: Library, tags: []}",
        "the tag `shelves` is in 0 tag groups",
    );
    says(
        group,
        "  - {name: Library, tags: [shelves, halls]}",
        "names the tag `halls`, which does not exist",
    );
    let tag = "  - {name: shelves, description: Shelves of books.}";
    says(
        &format!("{tag}\nx-tagGroups:\n{group}"),
        &format!(
            "{tag}\n  - {{name: halls, description: Halls.}}\nx-tagGroups:\n  - {{name: Library, tags: [halls, shelves]}}"
        ),
        "the tag `shelves` is at the position of `halls` in `x-tagGroups`",
    );
}

#[test]
fn references_and_names() {
    let renamed = golden()
        .replace("schemas/Note'", "schemas/Value'")
        .replace("    Note:\n", "    Value:\n");
    let findings = Contract::parse(&renamed).unwrap_err().to_string();
    assert!(
        findings.contains("the name `Value` is reserved for generated code"),
        "{findings}"
    );
    says(
        "'#/components/schemas/Note'}",
        "'#/components/schemas/Memo'}",
        "`#/components/schemas/Memo` has no target",
    );
    says("    Colour: {type", "    colour_name: {type", "has no target");
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
        "the value does not match its schema",
    );
    says("default: 20", "default: 2000", "the value does not match its schema");
    says(
        "example: {text: Signed.}",
        "example: {text: 3}",
        "the value does not match its schema",
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
        "does not say whether additional members",
    );
}

#[test]
fn patterns_and_recursion() {
    says("'^[A-Z]'", "'^(?=[A-Z])'", "the pattern does not compile");
    says(
        "{type: array, maxItems: 9, items: {$ref: '#/components/schemas/Part'}}\n    Error:",
        "{$ref: '#/components/schemas/Part'}\n    Error:",
        "contains itself",
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
fn malformed_yaml_is_refused() {
    for text in ["a: [", "a: 1\na: 2", "--- 1\n--- 2", "a: &x 1\nb: *x"] {
        let findings = Contract::parse(text).unwrap_err().to_string();
        assert!(findings.starts_with("openapi.yaml:"), "{findings}");
    }
}

#[test]
fn ids_that_cannot_be_read() {
    says("x-id: reusableContent", "x-id: ReusableContent", "is not in camelCase");
    says(
        "{type: integer, minimum: 1, maximum: 500}",
        "{type: integer, minimum: 1, maximum: 500, x-id: node}",
        "unknown keyword `x-id` in a number",
    );
    says(
        "items: {type: string, minLength: 2, maxLength: 8}",
        "items: {type: string, minLength: 2, maxLength: 8, x-id: user}",
        "`labels` has ids in a map or in an array with `uniqueItems`",
    );
    says(
        "oneOf: [{type: number}, {type: string, maxLength: 8}]",
        "oneOf: [{type: number}, {type: string, maxLength: 8, x-id: user}]",
        "an id cannot be a choice of a oneOf",
    );
    says(
        "maxLength: 32, x-id: node}",
        "maxLength: 32, x-id: page}",
        "the kind of id of `shelfId` differs from putBook",
    );
}
