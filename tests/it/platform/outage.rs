//! PostgreSQL restarts, and PostgreSQL is away.

/// What SQLite, a library, cannot do.
mod only_postgres {
    use std::{
        net::SocketAddr,
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        },
        time::{Duration, Instant},
    };

    use futures_util::future::join_all;
    use platform::db::Backend;
    use reqwest::{Method, Response};
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
        net::{TcpListener, TcpStream},
        task::{JoinHandle, JoinSet},
    };

    use crate::support::{
        client::Client,
        database::{TestDatabase, administer, server},
        service::Service,
    };

    /// More requests at once than the pool has connections.
    const MANY: usize = 40;

    /// Stands before PostgreSQL, and can go away.
    struct Gate {
        address: SocketAddr,
        task: JoinHandle<()>,
        /// The time that a login takes longer, in milliseconds.
        delay: Arc<AtomicU64>,
    }

    impl Gate {
        async fn open(address: SocketAddr) -> Self {
            let listener = TcpListener::bind(address).await.unwrap();
            let address = listener.local_addr().unwrap();
            let url = url::Url::parse(&server()).unwrap();
            let target = Arc::new((url.host_str().unwrap().to_owned(), url.port().unwrap_or(5432)));
            let delay = Arc::new(AtomicU64::new(0));
            let added = Arc::clone(&delay);
            let task = tokio::spawn(async move {
                let mut connections = JoinSet::new();
                while let Ok((mut client, _)) = listener.accept().await {
                    let (target, added) = (Arc::clone(&target), added.load(Ordering::Relaxed));
                    connections.spawn(async move {
                        let mut server = TcpStream::connect((target.0.as_str(), target.1)).await.unwrap();
                        if added > 0 {
                            delay_login(&mut client, &mut server, Duration::from_millis(added)).await;
                        }
                        drop(copy_bidirectional(&mut client, &mut server).await);
                    });
                }
            });
            Self { address, task, delay }
        }

        /// Breaks all connections and refuses new ones.
        async fn close(self) -> SocketAddr {
            self.task.abort();
            drop(self.task.await);
            self.address
        }
    }

    /// As a server with much to do: it answers the first question at once, which is whether it encrypts.
    async fn delay_login(client: &mut TcpStream, server: &mut TcpStream, delay: Duration) {
        let (mut question, mut answer) = ([0; 8], [0; 1]);
        client.read_exact(&mut question).await.unwrap();
        server.write_all(&question).await.unwrap();
        server.read_exact(&mut answer).await.unwrap();
        client.write_all(&answer).await.unwrap();
        tokio::time::sleep(delay).await;
    }

    struct Setting {
        service: Service,
        client: Client,
        gate: Gate,
        /// The database, for whom does not come through the gate.
        name: String,
    }

    async fn setting() -> Setting {
        let gate = Gate::open("127.0.0.1:0".parse().unwrap()).await;
        let database = TestDatabase::new(Backend::Postgres).through(gate.address);
        let name = database.name().unwrap().to_owned();
        let service = Service::start(database).await;
        let user = bindery::areas::identity::users::create(&service.app, "someone@tidewater.example", "Someone").await;
        let token = bindery::areas::identity::tokens::create(&service.app, user.unwrap().id, "test", None)
            .await
            .unwrap()
            .secret;
        let client = Client::new(&service.base).with_token(&token);
        Setting {
            service,
            client,
            gate,
            name,
        }
    }

    async fn read(client: &Client) -> Response {
        client.get("/v1/orgs").await
    }

    async fn write(client: &Client) -> Response {
        let request = client.request(Method::POST, "/v1/user/tokens");
        request.json(&json!({ "label": "more" })).send().await.unwrap()
    }

    async fn statuses(requests: impl Iterator<Item = impl Future<Output = Response>>) -> Vec<u16> {
        let answers = join_all(requests).await;
        answers.iter().map(|answer| answer.status().as_u16()).collect()
    }

    /// What a restart of the server does to each connection.
    async fn end_connections(name: &str) {
        let sql = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        administer(&server(), &sql).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_notices_that_connections_broke() {
        let Setting {
            service,
            client,
            gate,
            name,
        } = setting().await;
        let reads = || statuses((0..MANY).map(|_| read(&client)));
        let writes = || statuses((0..MANY).map(|_| write(&client)));
        assert_eq!(reads().await, [200; MANY]);
        end_connections(&name).await;
        assert_eq!(reads().await, [200; MANY]);
        end_connections(&name).await;
        assert_eq!(writes().await, [201; MANY]);
        // Without a word of farewell.
        let address = gate.close().await;
        let gate = Gate::open(address).await;
        assert_eq!(reads().await, [200; MANY]);
        service.app.db.close().await.unwrap();
        gate.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn slow_logins_are_waited_for() {
        let Setting {
            service,
            client,
            gate,
            name,
        } = setting().await;
        gate.delay.store(2_500, Ordering::Relaxed);
        end_connections(&name).await;
        assert_eq!(statuses((0..MANY).map(|_| read(&client))).await, [200; MANY]);
        end_connections(&name).await;
        assert_eq!(statuses((0..MANY).map(|_| write(&client))).await, [201; MANY]);
        service.app.db.close().await.unwrap();
        gate.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn while_it_is_away_callers_are_told_soon() {
        let Setting {
            service, client, gate, ..
        } = setting().await;
        assert_eq!(read(&client).await.status(), 200);
        let address = gate.close().await;
        for _ in 0..2 {
            for answer in [read(&client).await, write(&client).await] {
                assert_eq!(answer.status(), 503);
                assert_eq!(answer.headers()["retry-after"], "1");
                let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
                assert_eq!(body["error"]["type"], "unavailable");
            }
        }
        let started = Instant::now();
        assert_eq!(statuses((0..MANY).map(|_| read(&client))).await, [503; MANY]);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert_eq!(client.get("/readyz").await.status(), 503);

        let gate = Gate::open(address).await;
        assert_eq!(read(&client).await.status(), 200);
        assert_eq!(write(&client).await.status(), 201);
        service.app.db.close().await.unwrap();
        gate.close().await;
    }
}
