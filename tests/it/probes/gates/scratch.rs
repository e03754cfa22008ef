//! A copy of the workspace to break.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{compiled, files};

const COPIED: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "build.rs",
    "openapi",
    "entity",
    "migration",
    "crates",
    "src",
    "tests/it",
];

/// The server, and a small test (see [`Scratch::cargo`]).
const SERVER: [&str; 4] = ["--bin", "bindery", "--test", "scaffold"];

/// The compiler of copies that are checked.
const CHECK: &str = include_str!("check.sh");

/// A copy of the workspace. What was compiled for it is kept for the next run.
pub struct Scratch {
    pub folder: PathBuf,
    target: PathBuf,
    /// The program that cargo calls in place of rustc. `None`: the copy is compiled.
    check: Option<PathBuf>,
}

impl Scratch {
    /// A copy whose programs are built.
    pub fn built() -> Self {
        Self::new("gates-built", false)
    }

    /// A copy that is checked alone: no code is made of it.
    pub fn checked() -> Self {
        Self::new("gates-checked", true)
    }

    fn new(name: &str, is_checked: bool) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
        // Not the target folder of the original: cargo would take the two for the same packages.
        let (folder, target) = (temporary.join(name), temporary.join(format!("{name}-target")));
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        for name in COPIED {
            // With new times: what an earlier run compiled of the copy may be of something else.
            files::copy(&root.join(name), &folder.join(name), |from, to| {
                fs::copy(from, to).map(drop)
            })
            .unwrap();
        }
        let original = temporary.with_file_name("debug");
        if original.exists() && !target.exists() {
            let lock = fs::read_to_string(folder.join("Cargo.lock")).unwrap();
            compiled::share(&lock, &original, &target.join("debug")).unwrap();
        }
        let check = is_checked.then(|| folder.join("check.sh"));
        if let Some(check) = &check {
            fs::write(check, CHECK).unwrap();
            fs::set_permissions(check, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { folder, target, check }
    }

    /// The copy gains the skeleton of an area, as a newcomer would add it.
    pub fn add_area(&self, context: &str, name: &str) {
        self.build(&["--bin", "openapi-codegen", "--test", "scaffold"])
            .unwrap_or_else(|e| panic!("the generator does not build: {e}"));
        let mut scaffold = self.program("openapi-codegen");
        let output = scaffold.args(["new", context, name]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "there is no skeleton: {told}");
    }

    /// Leaves the tests of one area only, so that no others are compiled.
    pub fn keep_tests_of(&self, context: &str, area: &str) {
        let tests = self.folder.join("tests/it");
        fs::write(tests.join("main.rs"), format!("mod {context};\nmod support;\n")).unwrap();
        let modules = tests.join(context).join("mod.rs");
        let module = format!("mod {area};");
        let text = fs::read_to_string(&modules).unwrap();
        assert!(text.lines().any(|line| line == module), "{module:?} is not in {text}");
        fs::write(modules, module).unwrap();
    }

    /// A program that was built.
    pub fn program(&self, name: &str) -> Command {
        let mut program = Command::new(self.target.join("debug").join(name));
        program.current_dir(&self.folder);
        program
    }

    /// Always for the whole workspace and with some test: other choices give the dependencies other features, and all of
    /// them would be compiled again.
    pub fn cargo(&self, command: &str, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args([command, "--workspace", "--offline"])
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env_remove("RUSTFLAGS")
            // The copy is not linted.
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            // The copy is built many times, each time with a small change.
            .env_remove("CARGO_INCREMENTAL")
            // Nobody steps through the copy.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Other tests run beside it.
            .env("CARGO_BUILD_JOBS", "1");
        if let Some(check) = &self.check {
            cargo.env("RUSTC_WORKSPACE_WRAPPER", check);
        }
        // What the tests were told of their own package: build scripts of some dependencies would run again for it.
        for (name, _) in env::vars_os() {
            let told = name.to_string_lossy();
            if told.starts_with("CARGO_PKG_") || told.starts_with("CARGO_MANIFEST_") || told == "OUT_DIR" {
                cargo.env_remove(&name);
            }
        }
        cargo
    }

    pub fn build(&self, targets: &[&str]) -> Result<(), String> {
        let output = self.cargo("build", targets).output().unwrap();
        let told = || String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or_else(told)
    }

    /// Whether the crate that is made of the contract compiles, whatever becomes of those that use it.
    pub fn openapi_compiles(&self) -> Result<(), String> {
        let mut cargo = self.cargo("build", &SERVER);
        let output = cargo.arg("--message-format=json").output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let mut messages = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let compiled = messages.any(|m| m["reason"] == "compiler-artifact" && m["target"]["name"] == "openapi");
        compiled.then_some(()).ok_or(told)
    }

    /// Makes all the changes, builds once, and takes them back. Panics unless that fails and says what is expected of each.
    pub fn refuses(&self, cases: &[Case]) {
        let originals: Vec<(PathBuf, String)> = cases.iter().map(|case| self.apply(&case.change)).collect();
        let result = self.build(&SERVER);
        for (path, text) in originals.into_iter().rev() {
            fs::write(path, text).unwrap();
        }
        let Err(message) = result else {
            panic!("the build does not fail, beginning with {}", cases[0].name);
        };
        for case in cases {
            for part in case.expected {
                assert!(
                    message.contains(part),
                    "{}: nothing about {part:?} in\n{message}",
                    case.name
                );
            }
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

/// A disagreement, and parts of the message about it.
pub struct Case {
    name: &'static str,
    change: Change,
    expected: &'static [&'static str],
}

pub const fn case(name: &'static str, change: Change, expected: &'static [&'static str]) -> Case {
    Case { name, change, expected }
}

pub struct Change {
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

pub const fn change(file: &'static str, old: &'static str, new: &'static str) -> Change {
    Change { file, old, new }
}
