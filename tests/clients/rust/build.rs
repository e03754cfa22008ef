//! Generates the client from the document in the file that `BINDERY_OPENAPI_3_0` names.

use std::{env, error::Error, fs, path::PathBuf};

use progenitor::{GenerationSettings, Generator, InterfaceStyle};

const DOCUMENT: &str = "BINDERY_OPENAPI_3_0";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={DOCUMENT}");
    let path = env::var(DOCUMENT).map_err(|_| format!("{DOCUMENT} does not name a document; run tests/clients/run"))?;
    println!("cargo::rerun-if-changed={path}");
    let document: openapiv3::OpenAPI = serde_json::from_str(&fs::read_to_string(path)?)?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Builder);
    let tokens = Generator::new(&settings).generate_tokens(&document)?;
    let file = prettyplease::unparse(&syn::parse2(tokens)?);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("client.rs"), file)?;
    Ok(())
}
