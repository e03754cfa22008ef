//! A small contract with everything that the generator understands, and the code that it makes of it. The build gate's tests
//! compile this code. `BLESS=1 cargo test -p openapi-codegen` rewrites it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use openapi_codegen::Contract;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

#[test]
fn generated_code_is_as_expected() {
    let text = fs::read_to_string(folder().join("contract.yaml")).unwrap();
    let contract = Contract::parse(&text).unwrap_or_else(|findings| panic!("{findings}"));
    for (name, code) in contract.code() {
        let file = folder().join(&name);
        if env::var_os("BLESS").is_some() {
            fs::write(&file, &code).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            code == expected,
            "{name} differs from {}; run with BLESS=1 and look at the difference",
            file.display()
        );
    }
}

/// The shared code is compiled with the golden case too, which takes minutes; this is known at once.
#[test]
fn the_case_has_the_words_of_the_shared_code() {
    let models = fs::read_to_string(folder().join("models_common.rs")).unwrap();
    let words = |name: &str| {
        let (_, rest) = models.split_once(&format!("pub enum {name} {{")).unwrap();
        rest.split_once("\n}").unwrap().0
    };
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut used = 0;
    for text in texts_below(&shared) {
        for name in ["ErrorType", "ErrorRule"] {
            for rest in text.split(&format!("{name}::")).skip(1) {
                let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
                if word.starts_with(char::is_uppercase) {
                    used += 1;
                    let is_known = words(name).lines().any(|line| line.trim() == format!("{word},"));
                    assert!(is_known, "contract.yaml has no word for {name}::{word}");
                }
            }
        }
    }
    assert!(used > 20, "{used}");
}

fn texts_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.map(|entry| entry.path()).partition(|path| path.is_dir());
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    texts
        .chain(folders.iter().flat_map(|folder| texts_below(folder)))
        .collect()
}

#[test]
fn generating_twice_gives_the_same() {
    let contract = || Contract::load(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    assert_eq!(contract().code(), contract().code());
}
