//! Cycles between the modules of the crates beside the server, which the build script of the server refuses.

use std::path::Path;

use openapi_codegen::{
    finding::Findings,
    gate::{self, layers},
};

#[test]
fn the_crates_have_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = gate::crates(&root);
    for name in ["crates/expressions", "migration", "openapi", "openapi/codegen"] {
        assert!(folders.contains(&root.join(name)), "{name} is not checked");
    }
    let mut findings = Findings::default();
    for folder in folders {
        let sources = folder.join("src");
        assert!(layers::count(&sources) > 0, "{} has no sources", sources.display());
        layers::check_cycles(&sources, &mut findings);
    }
    assert!(findings.is_empty(), "{findings}");
}
