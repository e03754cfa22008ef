//! The address of a ClickHouse server.

use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use url::Url;

/// The port of the HTTP interface where a scheme has no port of its own.
const HTTP_PORT: u16 = 8123;

/// The HTTP interface of a ClickHouse server, and the database that is used there.
#[derive(Debug, Clone)]
pub struct ClickHouseAddress {
    /// Without user, password and path.
    pub url: Url,
    pub user: String,
    pub password: SecretString,
    pub database: String,
}

impl ClickHouseAddress {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            "the address of a ClickHouse server with a database, such as https://USER:PASSWORD@HOST:8443/DATABASE or \
             clickhouse://HOST/DATABASE"
                .to_owned()
        };
        // `Url` changes the scheme of an address of the web only to another one of the web.
        let of_web = text.strip_prefix("clickhouse://").map(|rest| format!("http://{rest}"));
        let given = Url::parse(of_web.as_deref().unwrap_or(text)).map_err(|_| expected())?;
        let needs_port = of_web.is_some() && Url::parse(text).is_ok_and(|url| url.port().is_none());
        let web = matches!(given.scheme(), "http" | "https") && given.has_host();
        let plain = given.query().is_none() && given.fragment().is_none();
        let database = given.path().trim_matches('/');
        let named = !database.is_empty() && !database.contains('/');
        if !(web && plain && named) {
            return Err(expected());
        }
        let decode = |part: &str| percent_decode_str(part).decode_utf8().map(String::from);
        let user = match given.username() {
            "" => "default".to_owned(),
            user => decode(user).map_err(|_| expected())?,
        };
        let password = decode(given.password().unwrap_or_default()).map_err(|_| expected())?;
        let database = decode(database).map_err(|_| expected())?;
        let mut url = given.clone();
        url.set_path("/");
        let is_complete = url.set_username("").is_ok()
            && url.set_password(None).is_ok()
            && (!needs_port || url.set_port(Some(HTTP_PORT)).is_ok());
        if !is_complete {
            return Err(expected());
        }
        Ok(Self {
            url,
            user,
            password: password.into(),
            database,
        })
    }
}
