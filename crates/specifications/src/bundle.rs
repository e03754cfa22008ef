//! A document with the documents that it refers to.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use url::Url;

use crate::{
    MAX_BUNDLE_BYTES, MAX_EXTERNAL_DOCUMENTS, MAX_MEMORY, MAX_STEPS, Version,
    finished::Finished,
    memory::Memory,
    problem::{Problem, Problems},
    references::{self, Fragment, is_mapping_reference, push},
    shape::{Kind, Visit, walk, walk_mut},
    syntax,
    upgrade::{self, webhooks},
    validate::{self, Validator},
};

/// The member of the result that holds the other documents, as the parsers of the public renderer name it.
const EXTERNAL: &str = "x-ext";

/// A document, and those that were added because it refers to them.
#[derive(Debug)]
pub struct Bundle {
    version: Version,
    /// The first one is the document itself.
    documents: Vec<Document>,
    by_address: HashMap<Url, usize>,
    pending: Vec<Target>,
    waiting: HashMap<Url, Vec<Waiting>>,
    /// In the order in which they were asked for.
    missing: Vec<Url>,
    visited: HashSet<(usize, String, Kind)>,
    validator: Validator,
    problems: Problems,
    /// Why the documents are too much to read.
    excess: Option<Problem>,
    memory: Memory,
    bytes: usize,
    steps: usize,
    /// Whether references are written otherwise than as places in their own document.
    has_addresses: bool,
}

#[derive(Debug)]
struct Document {
    address: Option<Url>,
    value: Value,
}

/// A value that is referred to as one of a kind.
#[derive(Debug, Clone)]
struct Target {
    document: usize,
    pointer: String,
    kind: Kind,
    /// The document and the place of the reference. `None`: the document itself.
    from: Option<(usize, String)>,
}

impl Target {
    fn place(&self) -> (usize, String, Kind) {
        (self.document, self.pointer.clone(), self.kind)
    }
}

#[derive(Debug)]
struct Waiting {
    pointer: String,
    kind: Kind,
    from: (usize, String),
}

impl Bundle {
    /// Parses a document. `address` is where it comes from, to which its references are relative.
    pub fn open(bytes: &[u8], address: Option<Url>) -> Result<Self, Vec<Problem>> {
        let mut memory = Memory::new(MAX_MEMORY);
        let value = syntax::parse(bytes, &mut memory).map_err(|problem| vec![problem])?;
        let empty = Map::new();
        let checked = validate::document(value.as_object().unwrap_or(&empty));
        let (version, of_document) = checked.map_err(|problem| vec![problem])?;
        let mut problems = Problems::default();
        of_document.into_iter().for_each(|problem| problems.add(problem));
        let start = Target {
            document: 0,
            pointer: String::new(),
            kind: Kind::Document,
            from: None,
        };
        let mut bundle = Self {
            version,
            by_address: address.iter().map(|address| (address.clone(), 0)).collect(),
            documents: vec![Document { address, value }],
            visited: HashSet::from([start.place()]),
            pending: vec![start],
            waiting: HashMap::new(),
            missing: Vec::new(),
            validator: Validator::new(version),
            problems,
            excess: None,
            memory,
            bytes: bytes.len(),
            steps: 0,
            has_addresses: false,
        };
        bundle.add_extension_webhooks();
        bundle.scan();
        bundle.check()?;
        Ok(bundle)
    }

    /// The webhooks that an upgrade finds in an extension are parts of the document like those that it has elsewhere.
    fn add_extension_webhooks(&mut self) {
        let root = self.documents.first().map(|document| &document.value);
        let webhooks = root.and_then(|root| webhooks::in_extension(self.version, root));
        let places = webhooks.into_iter().flat_map(Map::keys).map(|name| {
            let mut pointer = format!("/{}", webhooks::EXTENSION);
            push(&mut pointer, name);
            Target {
                document: 0,
                pointer,
                kind: Kind::PathItem,
                from: None,
            }
        });
        let places: Vec<_> = places.collect();
        places.into_iter().for_each(|place| self.follow(place));
    }

    /// A document that is needed and not there yet.
    pub fn missing(&self) -> Option<&Url> {
        self.missing.first()
    }

    /// The bytes of its documents.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that a document may have that is added now.
    pub fn bytes_left(&self) -> usize {
        MAX_BUNDLE_BYTES.saturating_sub(self.bytes)
    }

    /// Adds a missing document.
    pub fn add(&mut self, address: Url, bytes: &[u8]) -> Result<(), Vec<Problem>> {
        self.missing.retain(|missing| *missing != address);
        self.bytes += bytes.len();
        let failed = |problem: Problem| vec![problem.of(Some(&address))];
        if self.bytes > MAX_BUNDLE_BYTES {
            let message = format!("The document and those that it refers to have more than {MAX_BUNDLE_BYTES} bytes.");
            return Err(failed(Problem::new(message)));
        }
        let value = syntax::parse(bytes, &mut self.memory).map_err(failed)?;
        let document = self.documents.len();
        let waiting = self.waiting.remove(&address).unwrap_or_default();
        self.by_address.insert(address.clone(), document);
        self.documents.push(Document {
            address: Some(address),
            value,
        });
        for Waiting { pointer, kind, from } in waiting {
            self.follow(Target {
                document,
                pointer,
                kind,
                from: Some(from),
            });
        }
        self.scan();
        self.check()
    }

    /// Returns the whole as OpenAPI 3.1 in JSON. The same documents give the same bytes.
    pub fn finish(mut self) -> Result<Finished, Vec<Problem>> {
        self.check()?;
        let prefixes = self.prefixes();
        if self.has_addresses {
            self.rewrite(&prefixes);
        }
        let mut targets: Vec<(String, Kind)> = self
            .visited
            .into_iter()
            .map(|(document, pointer, kind)| {
                let prefix = prefixes.get(document).map(String::as_str).unwrap_or_default();
                (format!("{prefix}{pointer}"), kind)
            })
            .collect();
        targets.sort_by(|a, b| a.0.cmp(&b.0));
        let mut documents = self.documents.into_iter();
        let Some(Document {
            address,
            value: mut root,
        }) = documents.next()
        else {
            return Err(vec![Problem::new("The document is empty.")]);
        };
        embed(&mut root, documents.map(|document| document.value), &prefixes);
        if !upgrade::upgrade(self.version, &mut root, &targets, address.as_ref(), self.memory) {
            let message = "As OpenAPI 3.1, the document has too many values.";
            return Err(vec![Problem::new(message)]);
        }
        Finished::write(&root, self.problems)
    }

    fn check(&mut self) -> Result<(), Vec<Problem>> {
        self.excess.take().map_or(Ok(()), |problem| Err(vec![problem]))
    }

    /// Looks at a value, unless that was done or will be.
    fn follow(&mut self, target: Target) {
        if self.visited.insert(target.place()) {
            self.pending.push(target);
        }
    }

    /// Follows references as far as the documents are there.
    fn scan(&mut self) {
        while let Some(target) = self.pending.pop() {
            if self.excess.is_some() {
                return;
            }
            let Target {
                document,
                pointer,
                kind,
                from,
            } = target;
            let Some(Document { address, value }) = self.documents.get(document) else {
                continue;
            };
            let Some(value) = value.pointer(&pointer) else {
                if let Some((document, place)) = from {
                    self.report(document, "The reference leads to nothing.", &place);
                }
                continue;
            };
            let mut scan = Scan {
                validator: &mut self.validator,
                document,
                address: address.as_ref(),
                steps: &mut self.steps,
                problems: &mut self.problems,
                known: HashSet::new(),
                references: Vec::new(),
            };
            if let Err(excess) = walk(value, kind, &mut pointer.clone(), &mut scan) {
                self.excess = Some(excess);
                return;
            }
            let references = scan.references;
            for (text, kind, place) in references {
                self.refer(document, &text, kind, place);
            }
        }
    }

    fn report(&mut self, document: usize, message: impl Into<String>, pointer: &str) {
        let problem = self.problem(document, message, pointer);
        self.problems.add(problem);
    }

    fn problem(&self, document: usize, message: impl Into<String>, pointer: &str) -> Problem {
        let address = (document > 0).then(|| self.documents.get(document)).flatten();
        let address = address.and_then(|document| document.address.as_ref());
        Problem::at_pointer(message, pointer).of(address)
    }

    /// Follows a reference, or notes what is missing for it.
    fn refer(&mut self, document: usize, text: &str, kind: Kind, place: String) {
        self.has_addresses |= !text.starts_with('#');
        let base = self
            .documents
            .get(document)
            .and_then(|document| document.address.as_ref());
        let reference = match references::resolve(base, text) {
            Ok(reference) => reference,
            Err(message) => return self.report(document, message, &place),
        };
        let pointer = match (reference.fragment, &reference.document) {
            (Fragment::Pointer(pointer), _) => pointer,
            (Fragment::Anchor, None) if self.version == Version::OpenApi31 && document == 0 => return,
            (Fragment::Anchor, _) => {
                let message =
                    format!("The reference `{text}` must end with a JSON pointer, such as #/components/schemas/Pet.");
                return self.report(document, message, &place);
            }
        };
        let from = (document, place);
        let known = match &reference.document {
            None => Some(document),
            Some(address) => self.by_address.get(address).copied(),
        };
        match (known, reference.document) {
            (Some(document), _) => self.follow(Target {
                document,
                pointer,
                kind,
                from: Some(from),
            }),
            (None, Some(address)) => self.wait(address, Waiting { pointer, kind, from }),
            (None, None) => {}
        }
    }

    fn wait(&mut self, address: Url, waiting: Waiting) {
        if !self.waiting.contains_key(&address) {
            if self.documents.len() + self.missing.len() > MAX_EXTERNAL_DOCUMENTS {
                let message = format!("The document refers to more than {MAX_EXTERNAL_DOCUMENTS} other documents.");
                let (document, place) = waiting.from;
                self.excess = Some(self.problem(document, message, &place));
                return;
            }
            self.missing.push(address.clone());
        }
        self.waiting.entry(address).or_default().push(waiting);
    }

    /// The places of the documents in the result.
    fn prefixes(&self) -> Vec<String> {
        let taken = self.documents.first().and_then(|document| document.value.get(EXTERNAL));
        let free = (1_usize..).map(|number| number.to_string());
        let free = free.filter(|name| taken.is_none_or(|taken| taken.get(name).is_none()));
        let others = free.take(self.documents.len().saturating_sub(1));
        let others = others.map(|name| format!("/{EXTERNAL}/{name}"));
        std::iter::once(String::new()).chain(others).collect()
    }

    /// Makes all references lead to places in the result.
    fn rewrite(&mut self, prefixes: &[String]) {
        let by_address = &self.by_address;
        for (number, pointer, kind) in &self.visited {
            let Some(Document { address, value }) = self.documents.get_mut(*number) else {
                continue;
            };
            let done = format!("#/{EXTERNAL}/");
            let rewritten = |text: &str| {
                if (*number == 0 && text.starts_with('#')) || text.starts_with(&done) {
                    return None;
                }
                let reference = references::resolve(address.as_ref(), text).ok()?;
                let document = match reference.document {
                    None => *number,
                    Some(address) => *by_address.get(&address)?,
                };
                let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
                Some(format!("#{}{fragment}", prefixes.get(document)?))
            };
            if let Some(value) = value.pointer_mut(pointer) {
                walk_mut(value, *kind, &mut |object, kind| {
                    each_reference(object, kind, &rewritten)
                });
            }
        }
    }
}

/// Replaces the references of an object.
fn each_reference(object: &mut Map<String, Value>, kind: Kind, rewritten: &impl Fn(&str) -> Option<String>) {
    let replace = |value: &mut Value| {
        if let Some(text) = value.as_str().and_then(rewritten) {
            *value = Value::String(text);
        }
    };
    if kind != Kind::Discriminator {
        return object.get_mut("$ref").into_iter().for_each(replace);
    }
    let mapping = object.get_mut("mapping").and_then(Value::as_object_mut);
    let values = mapping.into_iter().flat_map(Map::values_mut);
    values
        .filter(|value| value.as_str().is_some_and(is_mapping_reference))
        .for_each(replace);
}

fn embed(root: &mut Value, others: impl Iterator<Item = Value>, prefixes: &[String]) {
    let names = prefixes.iter().skip(1).filter_map(|prefix| prefix.rsplit('/').next());
    let named: Vec<_> = names.map(str::to_owned).zip(others).collect();
    let Value::Object(root) = root else {
        return;
    };
    if named.is_empty() {
        return;
    }
    let holder = root.entry(EXTERNAL).or_insert_with(|| Value::Object(Map::new()));
    if !holder.is_object() {
        *holder = Value::Object(Map::new());
    }
    if let Value::Object(holder) = holder {
        holder.extend(named);
    }
}

/// Collects references and problems.
struct Scan<'a> {
    validator: &'a mut Validator,
    document: usize,
    address: Option<&'a Url>,
    steps: &'a mut usize,
    problems: &'a mut Problems,
    known: HashSet<(String, Kind)>,
    /// Each once, with its kind and its first place.
    references: Vec<(String, Kind, String)>,
}

impl Scan<'_> {
    fn refer(&mut self, text: &str, kind: Kind, place: impl FnOnce() -> String) {
        if self.known.insert((text.to_owned(), kind)) {
            self.references.push((text.to_owned(), kind, place()));
        }
    }

    fn report(&mut self, message: impl Into<String>, pointer: &str) {
        let address = self.address.filter(|_| self.document > 0);
        self.problems.add(Problem::at_pointer(message, pointer).of(address));
    }
}

/// An error: the document is too much to read.
impl Visit for Scan<'_> {
    type Error = Problem;

    fn object(&mut self, object: &Map<String, Value>, kind: Kind, pointer: &str) -> Result<(), Problem> {
        *self.steps += 1;
        if *self.steps > MAX_STEPS {
            return Err(Problem::new("The references of the document are too complex."));
        }
        if kind == Kind::Discriminator {
            let mapping = object.get("mapping").and_then(Value::as_object);
            for (name, value) in mapping.into_iter().flatten() {
                if let Some(text) = value.as_str().filter(|text| is_mapping_reference(text)) {
                    let mut place = format!("{pointer}/mapping");
                    push(&mut place, name);
                    self.refer(text, Kind::Schema, || place);
                }
            }
            return Ok(());
        }
        match object.get("$ref") {
            None => {}
            Some(Value::String(text)) => self.refer(text, kind, || format!("{pointer}/$ref")),
            Some(_) => self.report("`$ref` must be a text.", pointer),
        }
        match self.validator.object(object, kind, self.document, pointer) {
            None => {}
            Some((message, "")) => self.report(message, pointer),
            Some((message, member)) => self.report(message, &format!("{pointer}/{member}")),
        }
        Ok(())
    }

    fn mismatch(&mut self, pointer: &str, needed: &'static str) -> Result<(), Problem> {
        self.report(format!("The value must be {needed}."), pointer);
        Ok(())
    }
}
