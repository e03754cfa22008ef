//! The settings of a PostgreSQL server on which the data depends.

use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::{Backend, Db};

const STATEMENT: &str = "SELECT current_setting('server_version_num')::int4 AS version, \
    current_setting('server_encoding') AS encoding, \
    (SELECT least(current_setting('max_connections')::int4, nullif(datconnlimit, -1), nullif(rolconnlimit, -1)) \
    FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = session_user) AS connections, \
    array_to_string(ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') \
    AND setting = 'off' ORDER BY name), ',') AS off, \
    extract(epoch FROM clock_timestamp())::float8 AS now";

#[derive(Debug)]
pub struct ServerSettings {
    pub major_version: u32,
    pub encoding: String,
    /// Connections that the server takes at once, in this database and by this role.
    pub connections: u32,
    /// The settings that are off, so that acknowledged writes can be lost.
    pub unsafe_settings: Vec<String>,
    /// The time of the server, in seconds since 1970.
    pub now: f64,
}

impl Db {
    /// The settings of the server. `None`: SQLite, which has none.
    pub async fn server_settings(&self) -> Result<Option<ServerSettings>, DbErr> {
        if self.backend() == Backend::Sqlite {
            return Ok(None);
        }
        let db = self.read();
        let statement = Statement::from_string(db.get_database_backend(), STATEMENT);
        let Some(row) = db.query_one_raw(statement).await? else {
            return Ok(None);
        };
        let count = |name| Ok::<_, DbErr>(u32::try_from(row.try_get::<i32>("", name)?).unwrap_or_default());
        let off: String = row.try_get("", "off")?;
        Ok(Some(ServerSettings {
            major_version: count("version")? / 10_000,
            encoding: row.try_get("", "encoding")?,
            connections: count("connections")?,
            unsafe_settings: off
                .split(',')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            now: row.try_get("", "now")?,
        }))
    }
}
