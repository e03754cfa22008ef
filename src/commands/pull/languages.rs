//! OpenAPI specifications, the glossary, and translations.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    copies::{digest, key},
    puller::{Puller, id, set, text},
    report::Became,
};

/// Changes of the glossary in one request.
const BATCH: usize = 50;

impl Puller<'_> {
    pub async fn specifications(&mut self) -> anyhow::Result<()> {
        let all = format!("orgs/{}/openapi", self.there);
        let specifications = self.list("openapi", &all).await?;
        self.start("Specifications", specifications.len());
        for specification in &specifications {
            let slug = text(specification, "slug");
            let name = key("openapi", id(specification));
            self.copies.see(&name);
            let mut body = json!({});
            let address = text(specification, "sourceURL");
            if address.is_empty() {
                match self.document(&format!("{all}/{slug}/versions/latest/content")).await? {
                    Ok(document) => set(&mut body, "source", json!({ "text": document })),
                    Err(why) => {
                        self.report.not_copied("openapi", slug, why);
                        continue;
                    }
                }
            } else {
                set(&mut body, "source", json!({ "url": address }));
            }
            let visibility = specification.get("visibility").cloned();
            let state = digest(&json!([slug, body, visibility]));
            let known = self.copies.find(&name).is_some();
            if self.copies.find(&name).is_some_and(|known| known.state == state) {
                self.report.count("openapi", Became::Unchanged);
                continue;
            }
            if !self.dry_run {
                let here = format!("orgs/{}/openapi/{slug}", self.organization);
                let call = (Method::PUT, here.clone(), body);
                if self.write(("openapi", slug), self.admin, call).await?.is_none() {
                    continue;
                }
                if let Some(visibility) = visibility {
                    let call = (Method::PATCH, here, json!({ "visibility": visibility }));
                    self.write(("openapi", slug), self.admin, call).await?;
                }
            }
            // References name specifications by their slug.
            self.copies.put(name, slug.to_owned(), state).await?;
            self.report
                .count("openapi", if known { Became::Changed } else { Became::New });
        }
        Ok(())
    }

    /// The text of the latest version of a specification.
    async fn document(&self, path: &str) -> anyhow::Result<Result<String, String>> {
        let address = match self.source.get(path).await? {
            Ok(content) => text(&content, "url").to_owned(),
            Err(refused) => return Ok(Err(refused.to_string())),
        };
        let fetched = self.fetch(&address).await?;
        Ok(fetched.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "its document is not text".to_owned())))
    }

    pub async fn glossary(&mut self) -> anyhow::Result<()> {
        let entries = self
            .list("glossary entry", &format!("orgs/{}/translations-glossary", self.there))
            .await?;
        let mut operations = Vec::new();
        let mut written = Vec::new();
        for entry in &entries {
            let name = key("glossary entry", id(entry));
            self.copies.see(&name);
            let translations = entry.get("translations").cloned().unwrap_or_default();
            let state = digest(&translations);
            let known = self.copies.find(&name).cloned();
            let became = match &known {
                Some(known) if known.state == state => Became::Unchanged,
                Some(_) => Became::Changed,
                None => Became::New,
            };
            match known {
                _ if became == Became::Unchanged => {}
                Some(known) => {
                    operations.push(json!({ "type": "update", "id": known.own, "translations": translations }));
                    written.push((name, Some(known.own), state, translations, became));
                    continue;
                }
                None => {
                    operations.push(json!({ "type": "insert", "translations": translations }));
                    written.push((name, None, state, translations, became));
                    continue;
                }
            }
            self.report.count("glossary entry", became);
        }
        let here = format!("orgs/{}/translations-glossary", self.organization);
        if !self.dry_run {
            for batch in operations.chunks(BATCH) {
                let call = (Method::PUT, here.clone(), json!({ "operations": batch }));
                if self
                    .write(("glossary entry", "glossary"), self.admin, call)
                    .await?
                    .is_none()
                {
                    return Ok(());
                }
            }
        }
        let own = match operations.is_empty() || self.dry_run {
            true => Vec::new(),
            false => self.own_list(&here).await?,
        };
        for (name, known, state, translations, became) in written {
            let same = own.iter().find(|it| it.get("translations") == Some(&translations));
            if let Some(own) = known.or_else(|| same.map(|it| id(it).to_owned())) {
                self.copies.put(name, own, state).await?;
            }
            self.report.count("glossary entry", became);
        }
        Ok(())
    }

    /// All objects of a list of this server.
    async fn own_list(&mut self, path: &str) -> anyhow::Result<Vec<Value>> {
        let caller = self.caller(self.admin).await?;
        let (mut items, mut page) = (Vec::new(), String::new());
        loop {
            let mut answer = caller.get(&format!("{path}?limit=1000{page}")).await?;
            if let Some(Value::Array(more)) = answer.get_mut("items").map(Value::take) {
                items.extend(more);
            }
            match answer.pointer("/next/page").and_then(Value::as_str) {
                Some(next) => page = format!("&page={next}"),
                None => return Ok(items),
            }
        }
    }

    /// Translations need an engine of this server. Their results come as ordinary spaces.
    pub async fn translations(&mut self) -> anyhow::Result<()> {
        for translation in self
            .list("translation", &format!("orgs/{}/translations", self.there))
            .await?
        {
            let name = format!("{} to {}", id(&translation), text(&translation, "language"));
            let why = "the pages of its result are copied as they are; set the translation up here to go on";
            self.report.not_copied("translation", &name, why);
        }
        Ok(())
    }
}
