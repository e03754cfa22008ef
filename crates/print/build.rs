//! Takes the fonts that books use out of those that come with the typesetter, which are more than twice as large. One of the others
//! has a license that is not permissive: NewCM10-Regular.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "typesetter")]
    fonts::write()?;
    Ok(())
}

#[cfg(feature = "typesetter")]
mod fonts {
    use std::{collections::BTreeMap, env, error::Error, fmt::Write, fs, path::PathBuf};

    use ttf_parser::{Face, name_id::POST_SCRIPT_NAME};

    /// Their PostScript names.
    const USED: [&str; 9] = [
        "LibertinusSerif-Regular",
        "LibertinusSerif-Bold",
        "LibertinusSerif-Italic",
        "LibertinusSerif-BoldItalic",
        // Formulas have the weight between regular and bold.
        "NewCMMath-Book",
        "DejaVuSansMono",
        "DejaVuSansMono-Bold",
        "DejaVuSansMono-Oblique",
        "DejaVuSansMono-BoldOblique",
    ];

    /// Writes the fonts, and an array of their bytes as Rust.
    pub fn write() -> Result<(), Box<dyn Error>> {
        let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
        let known: BTreeMap<String, &[u8]> = typst_assets::fonts()
            .filter_map(|bytes| Some((name(bytes)?, bytes)))
            .collect();
        let mut code = String::new();
        for name in USED {
            let bytes = known
                .get(name)
                .ok_or_else(|| format!("typst-assets has no font {name}"))?;
            let file = folder.join(name);
            fs::write(&file, bytes)?;
            writeln!(code, "include_bytes!({file:?}),")?;
        }
        fs::write(folder.join("fonts.rs"), format!("[\n{code}]\n"))?;
        Ok(())
    }

    fn name(font: &[u8]) -> Option<String> {
        let face = Face::parse(font, 0).ok()?;
        let mut names = face.names().into_iter();
        names
            .find(|name| name.name_id == POST_SCRIPT_NAME && name.is_unicode())?
            .to_string()
    }
}
