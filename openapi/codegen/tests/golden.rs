//! A small contract with everything that the generator understands, and the code that it makes of it. The build gate's tests
//! compile this code. `BLESS=1 cargo test -p openapi-codegen` rewrites it.

use std::{env, fs, path::PathBuf};

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

#[test]
fn generating_twice_gives_the_same() {
    let contract = || Contract::load(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    assert_eq!(contract().code(), contract().code());
}
