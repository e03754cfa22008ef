//! Which pages of a website there are.

use std::{
    collections::{HashSet, VecDeque},
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use entity::exchange::import_runs::Model;
use platform::outbound::{FetchError, Fetched};
use url::Url;
use websites::{Robots, Scope, Sitemap};

use super::text::{self, Format, Target};
use crate::areas::exchange::{
    Exchange,
    git::SyncError,
    import_runs::{
        fetch::{get, in_background},
        outcome::{MAX_PAGES, MAX_PROBLEMS, OutcomeProblem},
    },
};

/// The name by which `robots.txt` knows the server.
const PROGRAM: &str = "bindery";
/// The most addresses that are tried.
const MAX_TRIED: usize = 1500;
const MAX_SITEMAPS: usize = 20;
/// The most bytes of all pages and pictures.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// The most pictures, and the most links of a page in Markdown.
const MAX_PICTURES: usize = 1000;
const MAX_LINKS: usize = 5000;
/// The time for a website.
const TIME: Duration = Duration::from_secs(10 * 60);

/// A page as it was fetched.
pub struct FoundPage {
    pub url: Url,
    /// What its addresses have in common.
    pub key: String,
    /// The path of the file that it becomes.
    pub file: String,
    /// Where its bytes are.
    pub raw: PathBuf,
    pub format: Format,
    pub content_type: String,
}

pub struct Crawl<'a> {
    exchange: &'a Exchange,
    row: &'a Model,
    pub scope: Scope,
    robots: Robots,
    raw: PathBuf,
    until: Instant,
    bytes: u64,
    tried: usize,
    /// The pages that are in the queue, and those that were there.
    seen: HashSet<String>,
    queue: VecDeque<Url>,
    /// Whether links lead to further pages: there is no sitemap.
    follows: bool,
    pub found: Vec<FoundPage>,
    pub pictures_wanted: Vec<Url>,
    pub problems: Vec<OutcomeProblem>,
}

impl<'a> Crawl<'a> {
    pub fn new(exchange: &'a Exchange, row: &'a Model, raw: PathBuf) -> Result<Self, SyncError> {
        let start = Url::parse(&row.url).map_err(|_| SyncError::Refused("The address is not valid.".to_owned()))?;
        Ok(Self {
            exchange,
            row,
            scope: Scope::of(&start),
            robots: Robots::default(),
            raw,
            until: Instant::now() + TIME,
            bytes: 0,
            tried: 0,
            seen: HashSet::new(),
            queue: VecDeque::new(),
            follows: true,
            found: Vec::new(),
            pictures_wanted: Vec::new(),
            problems: Vec::new(),
        })
    }

    /// Fetches the pages.
    pub async fn pages(&mut self) -> Result<(), SyncError> {
        self.read_robots().await?;
        let start = self.scope.start().clone();
        if !self.robots.allows(start.path()) {
            let why = "`robots.txt` of the website forbids programs to read the address.";
            return Err(SyncError::Refused(why.to_owned()));
        }
        self.enqueue(start);
        self.read_sitemaps().await?;
        while let Some(url) = self.queue.pop_front() {
            if self.found.len() >= MAX_PAGES || self.tried >= MAX_TRIED {
                let message = format!("The website has more than {MAX_PAGES} pages; the others are not imported.");
                self.note(&url, message);
                break;
            }
            self.tried += 1;
            if !self.robots.allows(url.path()) {
                self.note(&url, "`robots.txt` of the website forbids programs to read the page.");
                continue;
            }
            match self.get(&url).await? {
                Ok(fetched) => self.add(&url, fetched).await?,
                Err(error) if self.tried == 1 => return Err(SyncError::Refused(format!("The address {error}."))),
                Err(error) => self.note(&url, format!("The page {error}.")),
            }
        }
        match self.found.is_empty() {
            true => Err(SyncError::Refused(
                "The address has no page in HTML or Markdown.".to_owned(),
            )),
            false => Ok(()),
        }
    }

    async fn read_robots(&mut self) -> Result<(), SyncError> {
        let Some(url) = self.scope.at_top("robots.txt") else {
            return Ok(());
        };
        match self.get(&url).await? {
            Ok(fetched) => self.robots = Robots::parse(&String::from_utf8_lossy(&fetched.bytes), PROGRAM),
            Err(FetchError::Status(status)) if status.is_client_error() => {}
            Err(error) => return Err(SyncError::Refused(format!("`robots.txt` of the website {error}."))),
        }
        Ok(())
    }

    /// Reads the pages that sitemaps name.
    async fn read_sitemaps(&mut self) -> Result<(), SyncError> {
        let usual = [self.scope.at_top("sitemap.xml"), self.scope.beside("sitemap.xml")];
        let mut sitemaps: Vec<Url> = usual.into_iter().flatten().collect();
        let mut seen: HashSet<Url> = HashSet::new();
        while let Some(url) = sitemaps.pop().filter(|_| seen.len() < MAX_SITEMAPS) {
            let is_here = url.origin() == self.scope.start().origin() && self.robots.allows(url.path());
            if !is_here || !seen.insert(url.clone()) {
                continue;
            }
            let Ok(fetched) = self.get(&url).await? else { continue };
            let read = in_background(move || Sitemap::read(&String::from_utf8_lossy(&fetched.bytes))).await?;
            let addresses = |texts: Vec<String>| texts.into_iter().filter_map(|text| Url::parse(&text).ok());
            sitemaps.extend(addresses(read.sitemaps).take(MAX_SITEMAPS));
            for page in addresses(read.pages) {
                self.follows &= !self.enqueue(page);
            }
        }
        Ok(())
    }

    /// Puts an address into the queue. Returns whether it is a further page of the website.
    fn enqueue(&mut self, url: Url) -> bool {
        let is_full = self.seen.len() >= MAX_TRIED.saturating_mul(2);
        let Some(page) = self.scope.page(&url).filter(|_| !is_full) else {
            return false;
        };
        let is_new = self.seen.insert(self.scope.key(&page));
        if is_new {
            self.queue.push_back(page);
        }
        is_new
    }

    /// Adds a page that was fetched, and what it links to.
    async fn add(&mut self, asked: &Url, fetched: Fetched) -> Result<(), SyncError> {
        let Some(url) = self.scope.page(&fetched.url) else {
            if self.tried == 1 {
                let why = format!("The address leads to {}, which is no part of it.", fetched.url);
                return Err(SyncError::Refused(why));
            }
            self.note(asked, "The address leads out of the imported part of the website.");
            return Ok(());
        };
        let key = self.scope.key(&url);
        let is_known = key != self.scope.key(asked) && !self.seen.insert(key.clone());
        if is_known || !self.robots.allows(url.path()) {
            return Ok(());
        }
        let Some(format) = Format::of(fetched.content_type.as_deref(), &url) else {
            self.note(asked, "The address has no page in HTML or Markdown.");
            return Ok(());
        };
        let content_type = fetched.content_type.clone().unwrap_or_default();
        let raw = self.raw.join(self.found.len().to_string());
        let (path, address, of_page) = (raw.clone(), url.clone(), content_type.clone());
        let read = move || {
            fs::write(path, &fetched.bytes)?;
            Ok::<_, std::io::Error>(targets(&fetched.bytes, format, &of_page, &address))
        };
        let (links, pictures) = in_background(read).await?.map_err(anyhow::Error::from)?;
        if self.follows || format == Format::Links {
            for link in links {
                self.enqueue(link);
            }
        }
        if format == Format::Links {
            return Ok(());
        }
        self.pictures_wanted.extend(pictures);
        self.pictures_wanted.truncate(MAX_PICTURES);
        let file = self.scope.file(&url);
        self.found.push(FoundPage {
            url,
            key,
            file,
            raw,
            format,
            content_type,
        });
        Ok(())
    }

    /// Fetches what is at an address, if there is time and room for it.
    pub async fn get(&mut self, url: &Url) -> Result<Result<Fetched, FetchError>, SyncError> {
        if Instant::now() >= self.until {
            let why = "The website took more than 10 minutes to respond. Import a part of it.";
            return Err(SyncError::Refused(why.to_owned()));
        }
        let fetched = get(self.exchange, self.row, url.as_str(), self.until).await;
        if let Err(FetchError::Client(error)) = fetched {
            return Err(error.into());
        }
        let length = fetched.as_ref().map_or(0, |fetched| fetched.bytes.len());
        self.bytes = self.bytes.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        if self.bytes > MAX_BYTES {
            let why = "The website has more than 512 MiB. Import a part of it.";
            return Err(SyncError::Refused(why.to_owned()));
        }
        Ok(fetched)
    }

    pub fn note(&mut self, url: &Url, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(OutcomeProblem {
                path: url.to_string(),
                line: None,
                message: message.into(),
            });
        }
    }
}

/// The addresses that a page links to, and those of its pictures.
fn targets(bytes: &[u8], format: Format, content_type: &str, address: &Url) -> (Vec<Url>, Vec<Url>) {
    let (mut links, mut pictures) = (Vec::new(), Vec::new());
    if format == Format::Html {
        links = websites::links(&embeds::decode(bytes, Some(content_type)), address);
    }
    let mut note = |target: Target, url: &Url| {
        match target {
            Target::Page if format != Format::Html && links.len() < MAX_LINKS => links.push(url.clone()),
            Target::Picture if pictures.len() < MAX_PICTURES => pictures.push(url.clone()),
            _ => {}
        }
        None
    };
    text::read(bytes, format, content_type, address, &mut note);
    (links, pictures)
}
