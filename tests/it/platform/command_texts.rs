//! Names and titles on the command line keep the rules of the contract.

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![
    names_and_titles_keep_the_rules_of_the_contract,
    addresses_keep_the_rules_of_the_contract,
];

fn run(database: &TestDatabase, home: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .args(["--database-url", database.url()])
        .arg("--data-dir")
        .arg(home)
        .env("BINDERY_SECRET_KEY", "5a".repeat(32))
        .current_dir(home);
    command.output().unwrap()
}

async fn names_and_titles_keep_the_rules_of_the_contract(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    drop(database.migrated().await);
    let email = "ines@tidewater.example";
    assert!(run(&database, home.path(), &["user", "create", email]).status.success());
    let commands: [(&[&str], usize, &str); 4] = [
        (
            &["user", "create", "aiko@tidewater.example", "--name"],
            64,
            "may not be empty",
        ),
        (&["token", "create", email, "--label"], 50, "may not be empty"),
        (
            &["org", "create", "--owner", email],
            255,
            "must have at least 2 characters",
        ),
        (&["import", "nowhere", "--org", "none", "--title"], 50, ""),
    ];
    for (command, max, empty) in commands {
        let long = "ü".repeat(max + 1);
        let too_long = format!("may have at most {max} characters");
        let blank = if empty.is_empty() {
            ""
        } else {
            "must have a visible character"
        };
        for (text, message) in [
            ("\u{202e}drow", "may not contain the character U+202E"),
            ("a\nb", "may not contain the character U+000A"),
            ("a\u{7}b", "may not contain the character U+0007"),
            ("zero\u{200b}width", "may not contain the character U+200B"),
            ("a\u{3164}", "may not contain the character U+3164"),
            (" \u{a0}\u{2800}", blank),
            ("", empty),
            (&*long, &*too_long),
        ] {
            // What the contract allows.
            if message.is_empty() {
                continue;
            }
            let refused = run(&database, home.path(), &[command, &[text]].concat());
            let error = String::from_utf8(refused.stderr).unwrap();
            assert!(
                !refused.status.success() && error.contains(message),
                "{command:?} {text:?}: {error}"
            );
        }
    }
    let longest = "ü".repeat(64);
    let created = run(
        &database,
        home.path(),
        &["user", "create", "aiko@tidewater.example", "--name", &longest, "--json"],
    );
    assert!(created.status.success(), "{created:?}");
    assert_eq!(name(&created), longest);
}

async fn addresses_keep_the_rules_of_the_contract(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    drop(database.migrated().await);
    for address in [
        "a\u{7}b@tidewater.example",
        "a\u{202e}b@tidewater.example",
        "ines@tide\u{200b}water.example",
        "ines@tide\u{ad}water.example",
        "ines@b\u{fc}cher.example",
        "ines@ba\u{212a}.example",
        "in\u{e9}s@tidewater.example",
        ".ines@tidewater.example",
        "ines.@tidewater.example",
        "ines..okafor@tidewater.example",
        "ines@[127.0.0.1]",
        "ines okafor@tidewater.example",
        "ines@harbour@tidewater.example",
        "ines",
        &*format!("{}@tidewater.example", "a".repeat(65)),
    ] {
        let refused = run(&database, home.path(), &["user", "create", address]);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(
            !refused.status.success() && error.contains("an email address"),
            "{address:?}: {error}"
        );
    }
    let longest = "a".repeat(64);
    for (address, expected) in [
        ("Ines.Okafor@tidewater.example", "ines.okafor"),
        (&*format!("{longest}@tidewater.example"), &*longest),
        ("ines+docs@xn--Bcher-kva.example", "ines+docs"),
    ] {
        let created = run(&database, home.path(), &["user", "create", address, "--json"]);
        assert!(created.status.success(), "{created:?}");
        assert_eq!(name(&created), expected, "{address:?}");
    }
}

fn name(created: &Output) -> String {
    let rows: Value = serde_json::from_slice(&created.stdout).unwrap();
    rows[0]["name"].as_str().unwrap().to_owned()
}
