//! From the address that a reader opens to the site and the visit.

use std::{collections::HashSet, sync::Arc};

use openapi::{call::Call, error::ApiError, operations::published_content::RESOLVE_PUBLISHED_CONTENT_BY_URL};
use poem::{Request, http::Method};
use url::Url;
use web::Href;

use super::{
    tree::encoded,
    visitor::{self, Proof},
};

use crate::{
    access::{Caller, SiteReader},
    app::App,
    areas::publishing::{
        guard::ReadableSiteAccess,
        layout::Layout,
        published_content::{Admission, Here, Located, Opening, address::Address},
        visits::OpenVisit,
    },
    kernel::urls::Urls,
};

pub enum Opened {
    Site(Box<Site>),
    /// To where the visitor signs in.
    Redirect(String),
    /// The address had a proof of who the visitor is: the browser keeps it, and the address goes on without it.
    WithCookie {
        to: String,
        cookie: String,
    },
    /// There is a site that does not let the visitor in: it answers as none.
    Refused,
}

/// A site that is open to the visitor.
pub struct Site {
    pub url: Url,
    pub address: Address,
    pub visit: Arc<OpenVisit>,
    pub layout: Arc<Layout>,
    /// The path in the site.
    pub rest: String,
    /// The path of the site in addresses, with the key of a share link, and with a slash at its end.
    pub base: String,
    /// The address of the server, without a slash at its end.
    pub server: String,
    /// Pages become files: nothing answers forms and searches.
    pub is_static: bool,
    caller: Caller,
}

impl Site {
    pub fn access(&self) -> ReadableSiteAccess {
        ReadableSiteAccess::of_visitor(self.caller.clone(), Arc::clone(&self.visit))
    }

    pub fn reader(&self) -> Arc<dyn SiteReader> {
        Arc::clone(&self.visit) as _
    }

    /// The beginning of canonical addresses, with a slash at its end.
    pub fn canonical(&self) -> String {
        format!("{}{}", self.address.canonical, self.visit.share_path())
    }
}

/// The site at an address, and whether it lets the visitor in. `None`: there is none.
pub async fn open(app: &App, request: &Request, url: &Url) -> Result<Option<Opened>, ApiError> {
    let publishing = &app.publishing;
    let proof = Proof::of(request, url);
    let Some(opening) = Opening::at(publishing, &proof.address(url), proof.visitor(), None).await? else {
        return Ok(None);
    };
    let Opening { address, admission } = opening;
    let admitted = match admission {
        Admission::Granted(admitted) => *admitted,
        Admission::Redirected(to) => return Ok(Some(Opened::Redirect(to))),
        Admission::Refused => return Ok(Some(Opened::Refused)),
    };
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if let Some((to, cookie)) = visitor::keep(&proof, url, &address).filter(|_| is_read) {
        return Ok(Some(Opened::WithCookie { to, cookie }));
    }
    let call = Call::new(request, &RESOLVE_PUBLISHED_CONTENT_BY_URL);
    let (caller, visit) = publishing.visits.open(call, address.site.clone(), admitted.visit);
    let layout = visit.layout().await?;
    Ok(Some(Opened::Site(Box::new(Site {
        url: url.clone(),
        server: app.kernel.urls.base().to_owned(),
        base: format!("{}{}", address.base_path, visit.share_path()),
        rest: admitted.rest,
        is_static: false,
        layout,
        visit,
        address,
        caller,
    }))))
}

impl Site {
    /// The path and the query of a stored file below `/files/`. `None`: the address is that of something else.
    pub fn stored<'a>(&self, urls: &Urls, address: &'a str) -> Option<&'a str> {
        let begins = [
            format!("{}/files/", self.server),
            urls.public_path("/files/"),
            "/files/".to_owned(),
        ];
        begins.iter().find_map(|begin| address.strip_prefix(begin))
    }

    /// The query of the address that the reader opened, with its question mark.
    pub fn query(&self) -> String {
        self.url.query().map(|query| format!("?{query}")).unwrap_or_default()
    }

    /// The whole address of a page of the site or a stored file.
    pub fn whole(&self, urls: &Urls, address: &str) -> String {
        match self.stored(urls, address) {
            Some(file) => format!("{}/files/{file}", self.server),
            None => self.absolute(address),
        }
    }

    /// An address of the site as the reader reaches it: a path on this host. Other addresses stay as they are.
    pub fn local(&self, address: &str) -> String {
        let urls = self.visit.published_base();
        let rest = [urls, self.address.canonical.clone()].into_iter().find_map(|base| {
            let rest = address.strip_prefix(&base)?;
            Some(rest.strip_prefix(&self.visit.share_path()).unwrap_or(rest).to_owned())
        });
        rest.map_or_else(|| address.to_owned(), |rest| format!("{}{rest}", self.base))
    }

    /// The address of a path in the content of a site space.
    pub fn path_in(&self, here: &Here, path: &str) -> Href {
        let path = format!("{}{}", here.content, encoded(path));
        match self.layout.site_space(here.item) {
            Some(item) => self.href(&self.layout.path_in_site_space(item, &path)),
            None => self.href(&path),
        }
    }

    /// The addresses of paths in the content of a site space. Only those that begin with the name of a section or a site space have
    /// another beginning.
    pub fn paths<'s>(&'s self, here: &'s Here) -> impl Fn(&str) -> Href + 's {
        let begin = self.path_in(here, "").as_str().to_owned();
        let sections = self.layout.sections.iter().map(|section| section.path.as_str());
        let items = self.layout.site_spaces.iter().map(|item| item.path.as_str());
        let names: HashSet<&str> = sections.chain(items).collect();
        move |path| {
            let (first, _) = path.split_once('/').unwrap_or((path, ""));
            match names.contains(first) {
                true => self.path_in(here, path),
                false => Href::path(&format!("{begin}{}", encoded(path))),
            }
        }
    }

    /// The address of the search page.
    pub fn search(&self) -> Href {
        self.href("~/search")
    }

    /// The address of a path in the site.
    pub fn href(&self, path: &str) -> Href {
        Href::path(&format!("{}{path}", self.base))
    }
}

impl Site {
    /// The content at a path of the site.
    pub async fn locate(&self, app: &App, path: &str) -> Result<Option<Located>, ApiError> {
        let (site, visit) = (&self.visit.site, &self.visit.visit);
        Located::at(&app.publishing, site, visit, &self.layout, path).await
    }
}
