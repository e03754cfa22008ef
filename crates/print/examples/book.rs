//! Prints a folder of Markdown with a `SUMMARY.md`, and says where the time goes:
//! `cargo run --release -p print --example book -- <folder> <book.pdf> [<folder with fonts>…]`.

use std::{
    collections::HashMap,
    error::Error,
    fs,
    path::{Component, Path, PathBuf},
    time::Instant,
};

use print::{Book, BookPage, Converter, ImageSource, Resolver, Target, page_label, process};
use rich_text::{DocumentLimits, UrlResolver, parse_with};
use serde_json::Value;

/// Resolves paths relative to the current page.
struct Folder {
    root: PathBuf,
    titles: HashMap<PathBuf, String>,
    page: PathBuf,
    images: Vec<ImageSource>,
    bytes: Vec<Vec<u8>>,
}

impl Folder {
    fn path(&self, reference: &Value) -> Option<(PathBuf, Option<String>)> {
        let url = reference.get("url")?.as_str()?;
        let (path, anchor) = url
            .split_once('#')
            .map_or((url, None), |(path, anchor)| (path, Some(anchor)));
        let mut joined = self.page.parent()?.to_path_buf();
        for component in Path::new(path).components() {
            match component {
                Component::Normal(name) => joined.push(name),
                Component::ParentDir if joined.pop() => {}
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some((joined, anchor.map(str::to_owned)))
    }
}

impl Resolver for Folder {
    fn target(&self, reference: &Value) -> Target {
        let url = reference.get("url").and_then(Value::as_str).map(str::to_owned);
        if url.as_ref().is_some_and(|url| url.contains("://")) {
            return Target {
                title: url.clone(),
                url,
                ..Target::default()
            };
        }
        let anchor = reference.get("anchor").and_then(Value::as_str).map(str::to_owned);
        match self.path(reference) {
            Some((path, found)) => Target {
                page: self.titles.contains_key(&path).then(|| path.display().to_string()),
                anchor: found.or(anchor),
                title: self.titles.get(&path).cloned().or(url),
                ..Target::default()
            },
            None => Target {
                anchor,
                ..Target::default()
            },
        }
    }

    fn image(&mut self, reference: &Value) -> Option<String> {
        let (path, _) = self.path(reference)?;
        let bytes = fs::read(self.root.join(path)).ok()?;
        let name = self.images.len().to_string();
        self.images.push(ImageSource {
            name: name.clone(),
            size: u64::try_from(bytes.len()).ok()?,
        });
        self.bytes.push(bytes);
        Some(name)
    }

    fn reusable_content(&self, _: &Value) -> Option<&[Value]> {
        None
    }
}

/// The pages of a table of contents: levels, titles and paths.
fn pages(summary: &str) -> Vec<(u32, String, PathBuf)> {
    let item = |line: &str| {
        let depth = line.find(['*', '-'])?;
        let (title, path) = line.split_once('[')?.1.split_once("](")?;
        let level = u32::try_from(depth / 2).ok()?.saturating_add(1);
        Some((
            level,
            title.to_owned(),
            PathBuf::from(path.trim_end().strip_suffix(')')?),
        ))
    };
    summary.lines().filter_map(item).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(root), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: book <folder> <book.pdf> [<folder with fonts>…]".into());
    };
    let fonts: Vec<PathBuf> = arguments.collect();
    let started = Instant::now();
    let pages = pages(&fs::read_to_string(root.join("SUMMARY.md"))?);
    let mut folder = Folder {
        titles: pages
            .iter()
            .map(|(_, title, path)| (path.clone(), title.clone()))
            .collect(),
        root,
        page: PathBuf::new(),
        images: Vec::new(),
        bytes: Vec::new(),
    };
    let mut book = Book {
        title: pages.first().map(|(_, title, _)| title.clone()).unwrap_or_default(),
        language: "en".to_owned(),
        cover: true,
        contents: true,
        ..Book::default()
    };
    let mut frames = Vec::new();
    for (level, title, path) in pages {
        let text = fs::read_to_string(folder.root.join(&path)).unwrap_or_default();
        let document = parse_with(&text, &DocumentLimits::default(), &UrlResolver).map_err(|it| format!("{it:?}"))?;
        let nodes = serde_json::to_value(document.nodes)?;
        folder.page = path;
        let id = folder.page.display().to_string();
        let mut converter = Converter::new(&mut folder, 2_000_000);
        let nodes = nodes.as_array().map(Vec::as_slice).unwrap_or_default();
        let converted = converter.page(&id, level, nodes).map_err(|it| format!("{it:?}"))?;
        frames.push(process::frame(&converted)?);
        book.pages.push(BookPage {
            level,
            label: page_label(&id),
            title,
            description: None,
            nodes: Vec::new(),
        });
    }
    book.images = folder.images;
    let mut input = process::frame(&book)?;
    frames
        .into_iter()
        .chain(folder.bytes)
        .for_each(|part| input.extend(part));
    println!("{} pages converted: {:?}", book.pages.len(), started.elapsed());
    let started = Instant::now();
    let mut pdf = Vec::new();
    let count = process::run(&mut input.as_slice(), &mut pdf, &fonts)?;
    println!("{count} pages of paper, {} bytes: {:?}", pdf.len(), started.elapsed());
    fs::write(target, pdf)?;
    Ok(())
}
