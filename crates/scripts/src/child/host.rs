//! The functions that the prelude calls.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use rquickjs::{
    ArrayBuffer, Ctx, Error, Exception, FromJs, Function, IntoJs, Object, Result, Value, function::IntoJsFunc,
};
use url::{Url, form_urlencoded, quirks};

use super::{crypto, sandbox::cpu_time};
use crate::{Limits, Log, LogLevel, Reason, api::header_bytes};

/// An effect of a script, for the loop to handle.
#[derive(Debug)]
pub enum Act {
    Log(Log),
    Fetch {
        request: u32,
        method: String,
        url: String,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    Answer {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// All has ended.
    Done,
    Failed(Reason),
}

/// State that the functions of an engine share with it.
#[derive(Default)]
pub struct Shared {
    pub acts: RefCell<Vec<Act>>,
    /// CPU time of the process at which the slice ends.
    pub cpu_end: Cell<Duration>,
    /// `None`: the script is not at work for an event.
    pub deadline: Cell<Option<Instant>>,
    /// Why the script has been interrupted.
    pub interrupted: Cell<Option<Interrupt>>,
    /// Requests of the event so far.
    pub requests: Cell<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    Cpu,
    Time,
}

impl Shared {
    /// Whether the script has to stop, asked by the engine every few thousand steps.
    pub fn is_over(&self) -> bool {
        if self.interrupted.get().is_none() {
            if cpu_time() >= self.cpu_end.get() {
                self.interrupted.set(Some(Interrupt::Cpu));
            } else if self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline) {
                self.interrupted.set(Some(Interrupt::Time));
            }
        }
        self.interrupted.get().is_some()
    }

    fn push(&self, act: Act) {
        self.acts.borrow_mut().push(act);
    }
}

/// Bytes, which the prelude hands over as Base64.
struct Bytes(Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let text = String::from_js(ctx, value)?;
        let bytes = BASE64.decode(text.as_bytes());
        bytes
            .map(Self)
            .map_err(|_| Exception::throw_type(ctx, "The bytes are not Base64."))
    }
}

/// Bytes for the prelude. They count as memory of the script.
struct Buffer(Vec<u8>);

impl<'js> IntoJs<'js> for Buffer {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        ArrayBuffer::new_copy(ctx.clone(), self.0).map(ArrayBuffer::into_value)
    }
}

/// The object `host` of the prelude.
pub fn object<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>, limits: Limits) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    add_acts(&host, shared, limits)?;
    add_texts(&host)?;
    add_urls(&host)?;
    add_crypto(&host)?;
    Ok(host)
}

fn add<'js, P>(host: &Object<'js>, name: &str, function: impl IntoJsFunc<'js, P> + 'js) -> Result<()> {
    host.set(name, Function::new(host.ctx().clone(), function)?)
}

fn add_acts<'js>(host: &Object<'js>, shared: &Rc<Shared>, limits: Limits) -> Result<()> {
    let of = || Rc::clone(shared);
    let shared = of();
    add(host, "log", move |level: String, message: String, timestamp: f64| {
        shared.push(Act::Log(Log {
            level: match level.as_str() {
                "debug" => LogLevel::Debug,
                "warn" => LogLevel::Warn,
                "error" => LogLevel::Error,
                _ => LogLevel::Info,
            },
            message: shorten(message, limits.log_bytes),
            timestamp: timestamp as i64,
        }));
    })?;
    let shared = of();
    let fetch = move |ctx: Ctx<'js>, request, method, url, headers: Vec<String>, body: Bytes| {
        if shared.requests.get() >= limits.sub_requests {
            let message = format!("An event may make at most {} requests.", limits.sub_requests);
            return Err(Exception::throw_type(&ctx, &message));
        }
        if body.0.len() > limits.body {
            return Err(Exception::throw_type(&ctx, "The body of the request is too large."));
        }
        let headers = pairs(headers);
        if header_bytes(&headers) > limits.headers {
            return Err(Exception::throw_type(&ctx, "The headers of the request are too large."));
        }
        shared.requests.set(shared.requests.get() + 1);
        shared.push(Act::Fetch {
            request,
            method,
            url,
            headers,
            body: body.0,
        });
        Ok(())
    };
    add(host, "fetch", fetch)?;
    let shared = of();
    add(host, "answer", move |status: u16, headers: Vec<String>, body: Bytes| {
        let headers = pairs(headers);
        let too_large = |part| Act::Failed(Reason::Answer(format!("The {part} too large.")));
        shared.push(if body.0.len() > limits.body {
            too_large("body of the answer is")
        } else if header_bytes(&headers) > limits.headers {
            too_large("headers of the answer are")
        } else {
            let body = body.0;
            Act::Answer { status, headers, body }
        });
    })?;
    let shared = of();
    add(host, "done", move || shared.push(Act::Done))?;
    let shared = of();
    add(host, "fail", move |message: String| {
        let message = shorten(message, limits.log_bytes);
        shared.push(Act::Failed(Reason::Script(message)));
    })
}

/// Names and values that come one after another.
fn pairs(flat: Vec<String>) -> Vec<(String, String)> {
    let mut flat = flat.into_iter();
    std::iter::from_fn(|| Some((flat.next()?, flat.next()?))).collect()
}

/// At most so many bytes of a text.
fn shorten(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn add_texts(host: &Object<'_>) -> Result<()> {
    add(host, "encode", |text: String| Buffer(text.into_bytes()))?;
    // `undefined`: it is not UTF-8.
    add(host, "decode", |bytes: Bytes, is_fatal: bool| match is_fatal {
        true => String::from_utf8(bytes.0).ok(),
        false => Some(String::from_utf8_lossy(&bytes.0).into_owned()),
    })?;
    add(host, "decodeLatin1", |bytes: Bytes| {
        bytes.0.into_iter().map(windows_1252).collect::<String>()
    })?;
    add(host, "decodeBinary", |bytes: Bytes| {
        bytes.0.into_iter().map(char::from).collect::<String>()
    })
}

/// The characters where windows-1252 is not Latin-1.
fn windows_1252(byte: u8) -> char {
    const DIFFERENT: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let different = byte
        .checked_sub(0x80)
        .and_then(|index| DIFFERENT.get(usize::from(index)));
    different.copied().unwrap_or(char::from(byte))
}

fn add_urls(host: &Object<'_>) -> Result<()> {
    add(host, "parseUrl", |url: String, base: Option<String>| {
        let parsed = match base {
            Some(base) => Url::parse(&base).and_then(|base| base.join(&url)),
            None => Url::parse(&url),
        };
        parsed.ok().map(|url| url_parts(&url))
    })?;
    add(host, "setUrlPart", |href: String, name: String, value: String| {
        let mut url = Url::parse(&href).ok()?;
        set_url_part(&mut url, &name, &value)?;
        Some(url_parts(&url))
    })?;
    add(host, "parseQuery", |query: String| {
        let pairs = form_urlencoded::parse(query.as_bytes());
        pairs
            .flat_map(|(name, value)| [name.into_owned(), value.into_owned()])
            .collect::<Vec<_>>()
    })?;
    add(host, "formatQuery", |flat: Vec<String>| {
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs(flat))
            .finish()
    })
}

/// In the order of `PARTS` of the prelude.
fn url_parts(url: &Url) -> Vec<String> {
    let origin = quirks::origin(url);
    let parts = [
        quirks::href(url),
        origin.as_str(),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ];
    parts.into_iter().map(str::to_owned).collect()
}

/// A value that does not fit leaves the address as it is. `None`: it is not an address at all.
fn set_url_part(url: &mut Url, name: &str, value: &str) -> Option<()> {
    match name {
        "href" => return quirks::set_href(url, value).ok(),
        "protocol" => quirks::set_protocol(url, value).unwrap_or_default(),
        "username" => quirks::set_username(url, value).unwrap_or_default(),
        "password" => quirks::set_password(url, value).unwrap_or_default(),
        "host" => quirks::set_host(url, value).unwrap_or_default(),
        "hostname" => quirks::set_hostname(url, value).unwrap_or_default(),
        "port" => quirks::set_port(url, value).unwrap_or_default(),
        "pathname" => quirks::set_pathname(url, value),
        "search" => quirks::set_search(url, value),
        _ => quirks::set_hash(url, value),
    }
    Some(())
}

fn add_crypto(host: &Object<'_>) -> Result<()> {
    let taken = |bytes: Option<Vec<u8>>| bytes.map(Buffer).ok_or(Error::Unknown);
    add(host, "random", move |count: usize| {
        taken(crypto::random(count.min(65_536)))
    })?;
    add(host, "randomUuid", || crypto::random_uuid().ok_or(Error::Unknown))?;
    add(host, "randomText", || {
        crypto::random(12)
            .map(|bytes| data_encoding::HEXLOWER.encode(&bytes))
            .ok_or(Error::Unknown)
    })?;
    add(host, "digest", move |hash: String, data: Bytes| {
        taken(crypto::hash(&hash, &data.0))
    })?;
    add(host, "hmac", move |hash: String, key: Bytes, data: Bytes| {
        taken(crypto::hmac(&hash, &key.0, &data.0))
    })?;
    add(
        host,
        "hmacVerify",
        |hash: String, key: Bytes, data: Bytes, signature: Bytes| {
            crypto::hmac_verify(&hash, &key.0, &data.0, &signature.0)
        },
    )?;
    // `undefined`: it failed.
    let aes = |is_encryption: bool, key: Bytes, iv: Bytes, additional: Bytes, data: Bytes| {
        let done = match is_encryption {
            true => crypto::encrypt(&key.0, &iv.0, &additional.0, data.0),
            false => crypto::decrypt(&key.0, &iv.0, &additional.0, data.0),
        };
        done.map(Buffer)
    };
    add(host, "aesGcm", aes)?;
    add(host, "rsaModulusLength", |key: Bytes| {
        crypto::rsa_modulus_length(&key.0)
    })?;
    add(host, "rsaSign", |hash: String, key: Bytes, data: Bytes| {
        crypto::rsa_sign(&hash, &key.0, &data.0).map(Buffer)
    })
}
