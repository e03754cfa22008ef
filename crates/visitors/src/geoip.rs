//! GeoIP: the places of IP addresses, by a database in the MaxMind DB format.

use std::{fmt, net::IpAddr, path::Path, sync::Arc};

use maxminddb::{MaxMindDbError, Reader, geoip2};

/// A GeoIP database. Cloning is cheap.
#[derive(Clone)]
pub struct GeoIp(Arc<Reader<Vec<u8>>>);

/// The place of an address, as far as the file knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// ISO 3166 code of the country.
    pub country: Option<String>,
    /// Latitude and longitude in degrees.
    pub point: Option<(f64, f64)>,
}

impl fmt::Debug for GeoIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GeoIp").field(&self.0.metadata().database_type).finish()
    }
}

impl GeoIp {
    /// Reads a whole file into memory.
    pub fn open(path: &Path) -> Result<Self, MaxMindDbError> {
        Reader::open_readfile(path).map(|reader| Self(Arc::new(reader)))
    }

    /// The place of an address; nothing is known of an address that the file does not have.
    pub fn find(&self, address: IpAddr) -> Place {
        let found = self.0.lookup(address.to_canonical());
        let city: Option<geoip2::City<'_>> = found.and_then(|found| found.decode()).ok().flatten();
        let Some(city) = city else {
            return Place::default();
        };
        Place {
            country: city.country.iso_code.map(str::to_owned),
            point: city.location.latitude.zip(city.location.longitude),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_address() -> Result<(), Box<dyn std::error::Error>> {
        let geoip = GeoIp::open(Path::new("tests/geoip.mmdb"))?;
        let lisbon = Place {
            country: Some("PT".to_owned()),
            point: Some((38.7167, -9.1333)),
        };
        assert_eq!(geoip.find("192.0.2.7".parse()?), lisbon);
        assert_eq!(geoip.find("::ffff:192.0.2.7".parse()?), lisbon);
        let country = geoip.find("2001:db8:1::5".parse()?);
        assert_eq!((country.country.as_deref(), country.point), (Some("JP"), None));
        assert_eq!(geoip.find("203.0.113.9".parse()?), Place::default());
        assert!(GeoIp::open(Path::new("Cargo.toml")).is_err());
        Ok(())
    }
}
