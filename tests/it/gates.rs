//! The gates between the contract and the code, tried on a scratch copy: each kind of disagreement stops the build, and the message
//! names what disagrees. The copy has one more area, the skeleton that the generator writes: it builds, and does what it says.

use std::{
    fs, io,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::client::Client;

const COPIED: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "build.rs",
    "openapi",
    "entity",
    "migration",
    "src",
    "tests/it",
];

/// The area that is added to the copy.
const AREA: &str = "bookmarks";

/// A copy of the workspace. What was compiled for it is kept for the next run.
struct Scratch {
    folder: PathBuf,
    target: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Not the target folder of the original: cargo would take the two for the same packages.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gates-target");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gates");
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        for name in COPIED {
            copy(&root.join(name), &folder.join(name)).unwrap();
        }
        Self { folder, target }
    }

    /// The copy gains the skeleton of an area, as a newcomer would add it.
    fn add_area(&self) {
        let mut scaffold = self.cargo(&["run", "-p", "openapi-codegen"]);
        let output = scaffold.args(["--", "new", AREA]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "there is no skeleton: {told}");
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command
            .arg("--offline")
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env_remove("RUSTFLAGS");
        command
    }

    fn build(&self, arguments: &[&str]) -> Result<(), String> {
        let output = self.cargo(arguments).output().unwrap();
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Makes the changes, builds, and takes them back. Panics unless the build fails and says all of `expected`.
    fn refuses(&self, what: &str, package: &str, changes: &[Change], expected: &[&str]) {
        let originals: Vec<(PathBuf, String)> = changes.iter().map(|change| self.apply(change)).collect();
        let result = self.build(&["check", "-p", package]);
        for (path, text) in originals.into_iter().rev() {
            fs::write(path, text).unwrap();
        }
        let Err(message) = result else {
            panic!("{what}: the build does not fail");
        };
        for part in expected {
            assert!(message.contains(part), "{what}: nothing about {part:?} in\n{message}");
        }
    }

    fn apply(&self, change: &Change) -> (PathBuf, String) {
        let path = self.folder.join(change.file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(change.old), "{} has no {:?}", change.file, change.old);
        fs::write(&path, text.replacen(change.old, change.new, 1)).unwrap();
        (path, text)
    }
}

struct Change {
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

const fn change(file: &'static str, old: &'static str, new: &'static str) -> Change {
    Change { file, old, new }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    fs::create_dir_all(to.parent().unwrap())?;
    fs::copy(from, to).map(drop)
}

const TEAMS: &str = "openapi/paths/teams.yaml";
const TEAM_SCHEMAS: &str = "openapi/components/teams.yaml";

/// One test, because the copies would wait for each other's builds anyway.
#[test]
fn disagreements_do_not_build() {
    let scratch = Scratch::new();
    scratch.add_area();
    scratch
        .build(&["check", "-p", "bindery", "--bin", "bindery"])
        .unwrap_or_else(|e| panic!("the copy with the skeleton of an area does not build: {e}"));
    the_generator_refuses(&scratch);
    the_build_script_refuses(&scratch);
    rustc_refuses(&scratch);
    the_golden_case_compiles(&scratch);
    a_tighter_limit_needs_no_code(&scratch);
    the_new_area_passes_its_tests(&scratch);
}

fn the_generator_refuses(scratch: &Scratch) {
    let keyword = change(TEAM_SCHEMAS, "maxLength: 64", "maxLenght: 64");
    scratch.refuses(
        "an unknown keyword",
        "openapi",
        &[keyword],
        &["components/teams.yaml:", "`maxLenght`"],
    );
    let access = change(
        TEAMS,
        "x-access:\n      resource: team\n      level: view",
        "x-stray: {}\n    deprecated: false",
    );
    scratch.refuses(
        "no x-access",
        "openapi",
        &[access],
        &["paths/teams.yaml:", "has no x-access"],
    );
    let misspelt = change("openapi/components/common.yaml", "name: teamId", "name: teamID");
    scratch.refuses(
        "a misspelt path parameter",
        "openapi",
        &[misspelt],
        &["`teamID` is not in the path", "`{teamId}`"],
    );
}

fn the_build_script_refuses(scratch: &Scratch) {
    let renamed = change(
        TEAMS,
        "operationId: createOrganizationTeam",
        "operationId: makeOrganizationTeam",
    );
    let expected = [
        "operation `makeOrganizationTeam` has no handler",
        "handler `create_organization_team` of TeamsApi has no operation",
    ];
    scratch.refuses("a renamed operation", "bindery", &[renamed], &expected);
    let added = change(
        "openapi/paths/users.yaml",
        "user:\n",
        "user:\n  delete:\n    operationId: deleteUserById\n    tags: [users]\n    summary: Delete\n    description: Deletes.\n    x-access: {resource: user, level: own}\n    responses:\n      '204': {description: Gone.}\n      '401': {$ref: ../components/common.yaml#/responses/Unauthorized}\n      '404': {$ref: ../components/common.yaml#/responses/NotFound}\n      '429': {$ref: ../components/common.yaml#/responses/TooManyRequests}\n      default: {$ref: ../components/common.yaml#/responses/Unexpected}\n",
    );
    scratch.refuses(
        "an added operation",
        "bindery",
        &[added],
        &["operation `deleteUserById` has no handler"],
    );
    let stray = change(
        "src/system/mod.rs",
        "impl SystemApi for App {",
        "impl SystemApi for App {\n    async fn shut_down(&self, _: Caller) -> Result<(), ApiError> {\n        Ok(())\n    }\n",
    );
    scratch.refuses(
        "a stray handler",
        "bindery",
        &[stray],
        &[
            "src/system/mod.rs:",
            "handler `shut_down` of SystemApi has no operation",
        ],
    );
    let narrow = change("entity/src/teams/mod.rs", "StringLen::N(64)", "StringLen::N(63)");
    scratch.refuses(
        "a narrow column",
        "bindery",
        &[narrow],
        &["column `teams.title` holds 63 characters", "allows 64"],
    );
    let missing = change(
        "entity/src/teams/members.rs",
        "    #[sea_orm(string_value = \"owner\")]\n    Owner,\n",
        "",
    );
    scratch.refuses(
        "a missing stored value",
        "bindery",
        &[missing],
        &["stored enum `TeamMemberRole` lacks the value `owner`"],
    );
}

fn rustc_refuses(scratch: &Scratch) {
    let of_type = change(
        TEAM_SCHEMAS,
        "      createdAt:\n        type: string\n        format: date-time\n",
        "      createdAt:\n        type: string\n",
    );
    let expected = ["mismatched types", "src/teams/view.rs", "created_at:"];
    scratch.refuses("another type of a response member", "bindery", &[of_type], &expected);
    let of_example = change(
        TEAM_SCHEMAS,
        "      members:\n        type: integer\n        format: int64\n        minimum: 0\n",
        "      members:\n        type: string\n",
    );
    scratch.refuses(
        "another type than the examples",
        "bindery",
        &[of_example],
        &["is not of type \"string\"", "paths/teams.yaml:"],
    );
    let required = change(
        TEAM_SCHEMAS,
        "      members:\n        type: integer\n",
        "      colour: {type: integer}\n      members:\n        type: integer\n",
    );
    scratch.refuses(
        "an optional response member added",
        "bindery",
        &[required],
        &["missing field `colour`", "src/teams/view.rs"],
    );
    let required = change(
        TEAM_SCHEMAS,
        "required: [object, id, title, members, spaces",
        "required: [object, id, members, spaces, colour, title",
    );
    let member = change(
        TEAM_SCHEMAS,
        "      members:\n        type: integer\n",
        "      colour: {type: integer}\n      members:\n        type: integer\n",
    );
    scratch.refuses(
        "a required response member added",
        "bindery",
        &[required, member],
        &["\"colour\" is a required property"],
    );
    let removed = change("openapi/components/organizations.yaml", "      - notes\n", "");
    let expected = ["stored enum `OrganizationUseCase` has the value `notes`"];
    scratch.refuses("a removed enum value", "bindery", &[removed], &expected);
}

fn the_golden_case_compiles(scratch: &Scratch) {
    let contract = scratch.folder.join("openapi/openapi.yaml");
    let original = fs::read_to_string(&contract).unwrap();
    fs::copy(
        scratch.folder.join("openapi/codegen/tests/golden/contract.yaml"),
        &contract,
    )
    .unwrap();
    let built = scratch.build(&["check", "-p", "openapi"]);
    fs::write(&contract, original).unwrap();
    built.unwrap_or_else(|e| panic!("the golden case does not compile: {e}"));
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
    scratch
        .build(&["build", "-p", "bindery", "--bin", "bindery", "--test", "it"])
        .unwrap_or_else(|e| panic!("{e}"));
    let data = tempfile::tempdir().unwrap();
    let token = "bnd_a-token-that-is-only-used-in-this-test-0000";
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let child = Command::new(scratch.target.join("debug/bindery"))
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
    let mut tests = scratch.cargo(&["test", "-p", "bindery", "--test", "it", "--", &area]);
    let output = tests.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the tests of the skeleton fail: {told}");
    let ran = format!("test {AREA}::sqlite::{AREA}_are_listed_until_they_are_deleted ... ok");
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
