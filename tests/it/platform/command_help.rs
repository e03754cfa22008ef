//! The help of the command line.

use std::process::Command;

use bindery::areas::identity::system;

/// The name of a command with its parents, and its help.
fn all_help(command: &clap::Command, parents: &[&str], helps: &mut Vec<(String, String)>) {
    for command in command.get_subcommands() {
        let path = [parents, &[command.get_name()]].concat();
        let mut arguments = path.clone();
        arguments.push("--help");
        helps.push((path.join(" "), help(&arguments)));
        all_help(command, &path, helps);
    }
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bindery"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn only_serve_lists_the_settings() {
    let commands = help(&["--help"]);
    assert!(commands.contains("Start the server\n"), "{commands}");
    let mut helps = vec![(String::new(), commands)];
    all_help(&bindery::commands::command_line(), &[], &mut helps);
    assert!(helps.iter().any(|(command, _)| command == "user create"), "{helps:?}");
    for (command, text) in helps {
        let lists = text.contains("--data-dir <DIRECTORY>") && text.contains("--rate-limit <RATE>");
        let refers = text.contains("`bindery serve --help`");
        assert_eq!(
            (lists, refers),
            (command == "serve", command != "serve"),
            "{command}: {text}"
        );
        assert!(!text.contains("{{"), "{command}: {text}");
    }
}

#[test]
fn the_version_has_the_commit() {
    let version = format!("bindery {} ({})\n", system::VERSION, system::BUILD);
    assert_eq!(help(&["--version"]), version);
}

/// Settings may stand before and after the name of any command, whether its help lists them or not.
#[test]
fn all_commands_take_settings() {
    for arguments in [
        &["--listen", "nowhere"][..],
        &["serve", "--listen", "nowhere"],
        &["--listen", "nowhere", "serve"],
        &["user", "list", "--listen", "nowhere"],
        &["user", "--listen", "nowhere", "list"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_bindery"))
            .args(arguments)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("--listen: `nowhere` is not"), "{arguments:?}: {error}");
    }
}
