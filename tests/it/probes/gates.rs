//! The gates between the contract and the code, tried on a scratch copy: each kind of disagreement stops the build, and the message
//! names what disagrees. The copy has one more area, the skeleton that the generator writes: it builds, and does what it says.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Stdio},
};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use self::scratch::{Scratch, case, change};
use crate::support::client::Client;

mod compiled;
mod files;
mod scratch;

/// The area that is added to the copy, and its context.
const AREA: &str = "bookmarks";
const CONTEXT: &str = "library";

const TEAMS: &str = "openapi/paths/organizations/teams.yaml";
const TEAM_SCHEMAS: &str = "openapi/components/organizations/teams.yaml";
const TEAM_VIEW: &str = "src/areas/organizations/teams/view.rs";
const SYSTEM: &str = "src/areas/identity/system/mod.rs";

const ADDED_OPERATION: &str = "user:\n  delete:\n    operationId: deleteUserById\n    tags: [users]\n    summary: Delete\n    description: Deletes.\n    x-access: {resource: user, level: own}\n    responses:\n      '204': {description: Gone.}\n";

/// One test, because the copies would wait for each other's builds anyway.
#[test]
fn disagreements_do_not_build() {
    let scratch = Scratch::checked();
    scratch.add_area(CONTEXT, AREA);
    scratch.keep_tests_of(CONTEXT, AREA);
    scratch
        .build(&["--bin", "bindery", "--test", "it"])
        .unwrap_or_else(|e| panic!("the copy with the skeleton of an area does not build: {e}"));
    the_generator_refuses(&scratch);
    the_build_script_refuses(&scratch);
    rustc_refuses(&scratch);
    the_golden_case_compiles(&scratch);
}

#[test]
#[ignore = "compiles the server once more, for ten minutes: scripts/test --run-ignored only gates"]
fn a_new_area_works() {
    let scratch = Scratch::built();
    scratch.add_area(CONTEXT, AREA);
    a_tighter_limit_needs_no_code(&scratch);
    the_new_area_passes_its_tests(&scratch);
}

/// What the generator finds in the structure of the document, all at once, and then in the examples.
fn the_generator_refuses(scratch: &Scratch) {
    let keyword = change(TEAM_SCHEMAS, "maxLength: 64", "maxLenght: 64");
    let access = change(
        TEAMS,
        "x-access:\n      resource: team\n      level: view",
        "x-stray: {}\n    deprecated: false",
    );
    let misspelt = change("openapi/components/common.yaml", "name: teamId", "name: teamID");
    let required = change(
        TEAM_SCHEMAS,
        "required: [items]\n    properties:\n",
        "required: [items, colour]\n    properties:\n      colour: {type: integer}\n",
    );
    scratch.refuses(&[
        case(
            "an unknown keyword",
            keyword,
            &["components/organizations/teams.yaml:", "`maxLenght`"],
        ),
        case(
            "no x-access",
            access,
            &["paths/organizations/teams.yaml:", "has no x-access"],
        ),
        case(
            "a misspelt path parameter",
            misspelt,
            &["`teamID` is not in the path", "`{teamId}`"],
        ),
        case(
            "a required response member without an example",
            required,
            &[
                "listTeamsInOrganizationById: the response has no example",
                "`TeamList.colour`",
            ],
        ),
    ]);
    let of_example = change(
        TEAM_SCHEMAS,
        "      members:\n        type: integer\n        format: int64\n        minimum: 0\n",
        "      members:\n        type: string\n",
    );
    scratch.refuses(&[case(
        "another type than the examples",
        of_example,
        &["is not of type \"string\"", "components/organizations/teams.yaml:"],
    )]);
}

fn the_build_script_refuses(scratch: &Scratch) {
    let renamed = change(
        TEAMS,
        "operationId: createOrganizationTeam",
        "operationId: makeOrganizationTeam",
    );
    let added = change("openapi/paths/identity/users.yaml", "user:\n", ADDED_OPERATION);
    let stray = change(
        SYSTEM,
        "impl SystemApi for Identity {",
        "impl SystemApi for Identity {\n    async fn shut_down(&self, _: Caller) -> Result<(), ApiError> {\n        Ok(())\n    }\n",
    );
    let narrow = change(
        "entity/src/organizations/teams/mod.rs",
        "StringLen::N(64)",
        "StringLen::N(63)",
    );
    let missing = change(
        "entity/src/organizations/teams/members.rs",
        "    #[sea_orm(string_value = \"owner\")]\n    Owner,\n",
        "",
    );
    let removed = change(
        "openapi/components/organizations/organizations.yaml",
        "      - notes\n",
        "",
    );
    let upwards = change(SYSTEM, "\nuse ", "\nuse crate::http::server as _;\nuse ");
    let cycle = change("src/access/levels.rs", "\nuse ", "\nuse super::node_levels as _;\nuse ");
    let foreign_table = change(
        "src/areas/library/collections/store.rs",
        "\nuse ",
        "\nuse entity::publishing::sites as _;\nuse ",
    );
    scratch.refuses(&[
        case(
            "a renamed operation",
            renamed,
            &[
                "operation `makeOrganizationTeam` has no handler",
                "handler `create_organization_team` of TeamsApi has no operation",
            ],
        ),
        case(
            "an added operation",
            added,
            &["operation `deleteUserById` has no handler"],
        ),
        case(
            "a stray handler",
            stray,
            &[
                "src/areas/identity/system/mod.rs:",
                "handler `shut_down` of SystemApi has no operation",
            ],
        ),
        case(
            "a narrow column",
            narrow,
            &["column `teams.title` holds 63 characters", "allows 64"],
        ),
        case(
            "a missing stored value",
            missing,
            &["stored enum `TeamMemberRole` lacks the value `owner`"],
        ),
        case(
            "a removed enum value",
            removed,
            &["stored enum `OrganizationUseCase` has the value `notes`"],
        ),
        case(
            "an area that uses an entry point",
            upwards,
            &["`areas::identity::system` uses `http", "of a higher layer"],
        ),
        case(
            "a table of a higher context",
            foreign_table,
            &["a table of the context `publishing` is named by a context before it"],
        ),
        case(
            "modules that use each other",
            cycle,
            &["modules of `access` form a cycle", "levels → node_levels"],
        ),
    ]);
}

fn rustc_refuses(scratch: &Scratch) {
    let of_type = change(
        TEAM_SCHEMAS,
        "      createdAt:\n        type: string\n        format: date-time\n",
        "      createdAt:\n        type: string\n",
    );
    let added = change(
        TEAM_SCHEMAS,
        "      members:\n        type: integer\n",
        "      colour: {type: integer}\n      members:\n        type: integer\n",
    );
    scratch.refuses(&[
        case(
            "another type of a response member",
            of_type,
            &["mismatched types", TEAM_VIEW, "created_at:"],
        ),
        case(
            "an optional response member added",
            added,
            &["missing field `colour`", TEAM_VIEW],
        ),
    ]);
}

fn the_golden_case_compiles(scratch: &Scratch) {
    let contract = scratch.folder.join("openapi/openapi.yaml");
    let original = fs::read_to_string(&contract).unwrap();
    fs::copy(
        scratch.folder.join("openapi/codegen/tests/golden/contract.yaml"),
        &contract,
    )
    .unwrap();
    let compiled = scratch.openapi_compiles();
    fs::write(&contract, original).unwrap();
    compiled.unwrap_or_else(|e| panic!("the golden case does not compile: {e}"));
}

/// A server of the copy, killed at the end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has then reported.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn a_tighter_limit_needs_no_code(scratch: &Scratch) {
    let schemas = scratch.folder.join(TEAM_SCHEMAS);
    let text = fs::read_to_string(&schemas).unwrap();
    fs::write(&schemas, text.replace("maxLength: 64\n", "maxLength: 40\n")).unwrap();
    scratch.keep_tests_of(CONTEXT, AREA);
    scratch
        .build(&["--bin", "bindery", "--test", "it"])
        .unwrap_or_else(|e| panic!("the copy with the skeleton of an area does not build: {e}"));
    let data = tempfile::tempdir().unwrap();
    let token = "bnd_a-token-that-is-only-used-in-this-test-0000";
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let child = scratch
        .program("bindery")
        .args(["serve", "--listen", &address.to_string()])
        .current_dir(data.path())
        .env("BINDERY_ADMIN_TOKEN", token)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let ready = lines.by_ref().any(|line| line.unwrap().contains(&address.to_string()));
    assert!(ready, "the server does not say that it listens");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = Client::new(&format!("http://{address}")).with_token(token);
        let organizations: Value = client.get("/v1/orgs").await.json().await.unwrap();
        let id = organizations["items"][0]["id"].as_str().unwrap();
        let create = async |title: &str| {
            let request = client.request(Method::PUT, &format!("/v1/orgs/{id}/teams"));
            request.json(&json!({ "title": title })).send().await.unwrap()
        };
        assert_eq!(create(&"x".repeat(40)).await.status(), 201);
        let refused = create(&"x".repeat(41)).await;
        assert_eq!(refused.status(), 400);
        let body: Value = refused.json().await.unwrap();
        assert_eq!(body["error"]["details"][0]["code"], "max-length");
        the_new_area_works(&client, &format!("/v1/orgs/{id}/{AREA}")).await;
    });
}

fn the_new_area_passes_its_tests(scratch: &Scratch) {
    let area = format!("{AREA}::");
    let mut tests = scratch.cargo("test", &["--test", "it", "--", &area]);
    let output = tests.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the tests of the skeleton fail: {told}");
    let ran = format!("test {CONTEXT}::{AREA}::sqlite::{AREA}_are_listed_until_they_are_deleted ... ok");
    assert!(told.contains(&ran), "nothing about {ran:?} in {told}");
}

async fn the_new_area_works(client: &Client, path: &str) {
    let send = async |request: RequestBuilder| {
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap();
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    };
    let get = async |path: &str| send(client.request(Method::GET, path)).await;
    let create = client.request(Method::POST, path).json(&json!({ "title": "Harbour" }));
    let (status, made): (u16, Value) = send(create).await;
    assert_eq!((status, &made["title"]), (201, &json!("Harbour")));
    let one = format!("{path}/{}", made["id"].as_str().unwrap());
    assert_eq!(get(&one).await, (200, made.clone()));
    assert_eq!(get(path).await, (200, json!({ "count": 1, "items": [made] })));
    assert_eq!(send(client.request(Method::DELETE, &one)).await.0, 204);
    assert_eq!(get(&one).await.0, 404);
    assert_eq!(get(path).await, (200, json!({ "count": 0, "items": [] })));
}
