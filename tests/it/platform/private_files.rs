//! Files of the server belong to its user alone, and none is made anew in silence.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use platform::db::Backend;

use crate::support::{database::TestDatabase, process::Server};

/// The program under a umask that hides nothing.
fn open_handed() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bindery")]);
    command
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            let within = if path.is_dir() { files(&path) } else { Vec::new() };
            [vec![path], within].concat()
        })
        .collect()
}

#[tokio::test]
async fn files_are_private_whatever_the_umask() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let database = TestDatabase::to_be_kept(Backend::Sqlite, &data);
    let mut command = open_handed();
    Server::prepare(&mut command, &data, &database);
    command.current_dir(home.path());
    let mut server = Server::run(command);
    server.ready().await;
    assert_eq!(mode(&data), 0o700);
    let names: Vec<_> = files(&data);
    for name in ["bindery.db", "bindery.db-wal", "bindery.db-shm", "secret.key"] {
        assert!(names.contains(&data.join(name)), "{name}");
    }
    for file in &names {
        let expected = if file.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(file), expected, "{}", file.display());
    }
    server.kill();

    // Of an earlier version.
    for name in ["bindery.db", "secret.key"] {
        fs::set_permissions(data.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let output = migrate(&data);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(mode(&data.join("bindery.db")), 0o600);
    assert_eq!(mode(&data.join("secret.key")), 0o600);
}

fn migrate(data: &Path) -> Output {
    run(data, &["migrate"])
}

fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command.args(arguments).arg("--data-dir").arg(data).current_dir(data);
    command.output().unwrap()
}

#[tokio::test]
async fn missing_settings_are_reported_at_the_start() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path();
    assert!(migrate(data).status.success());
    let created = run(data, &["user", "create", "someone@tidewater.example"]);
    assert!(created.status.success(), "{created:?}");
    let key = fs::read_to_string(data.join("secret.key")).unwrap();

    fs::remove_file(data.join("secret.key")).unwrap();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["user", "list"]] {
        let refused = run(data, command);
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success(), "{command:?}");
        assert!(text.contains("secret.key does not exist. Restore the file"), "{text}");
    }
    assert!(!data.join("secret.key").exists());

    fs::write(data.join("secret.key"), key).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        drop(fs::remove_file(data.join(format!("bindery.db{suffix}"))));
    }
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"], &["doctor"]] {
        let refused = run(data, command);
        let text = String::from_utf8([refused.stdout, refused.stderr].concat()).unwrap();
        assert!(!refused.status.success(), "{command:?}");
        assert!(text.contains("bindery.db is not; restore it"), "{text}");
        assert!(!data.join("bindery.db").exists());
    }
    fs::write(data.join("bindery.db"), "").unwrap();
    assert!(!run(data, &["serve", "--listen", "127.0.0.1:0"]).status.success());
}
