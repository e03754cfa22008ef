//! PostgreSQL restarts, and PostgreSQL is away.

/// What SQLite, a library, cannot do.
mod only_postgres {
    use std::{
        future::pending,
        net::SocketAddr,
        sync::{Arc, Mutex},
        time::{Duration, Instant},
    };

    use futures_util::future::join_all;
    use platform::db::{Backend, DbOptions};
    use reqwest::{Method, Response};
    use sea_orm::DbErr;
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, copy},
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
        login: Arc<Mutex<Login>>,
        cuts: Cuts,
    }

    /// Ends connections in the middle of a transaction.
    #[derive(Clone, Default)]
    struct Cuts(Arc<Mutex<Option<Cut>>>);

    #[derive(Clone, Copy)]
    struct Cut {
        /// The beginning of the statement at which a connection ends.
        at: &'static str,
        times: usize,
        /// Whether the server does what the statement asks for, while nobody hears of it.
        is_done: bool,
    }

    impl Cuts {
        /// Returns whether the server is to do what ends the connection; `None` if nothing ends it.
        fn take(&self, sent: &[u8]) -> Option<bool> {
            let mut cut = self.0.lock().unwrap();
            let cut = cut.as_mut().filter(|cut| cut.times > 0)?;
            let ends = sent.windows(cut.at.len()).any(|part| part == cut.at.as_bytes());
            ends.then(|| {
                cut.times -= 1;
                cut.is_done
            })
        }
    }

    /// What becomes of a login.
    #[derive(Clone, Copy)]
    enum Login {
        Passes,
        Delayed(Duration),
        /// With a code of PostgreSQL.
        Refused(&'static str),
        Unanswered,
    }

    impl Gate {
        async fn open(address: SocketAddr) -> Self {
            let listener = TcpListener::bind(address).await.unwrap();
            let address = listener.local_addr().unwrap();
            let url = url::Url::parse(&server()).unwrap();
            let target = Arc::new((url.host_str().unwrap().to_owned(), url.port().unwrap_or(5432)));
            let login = Arc::new(Mutex::new(Login::Passes));
            let of_next = Arc::clone(&login);
            let cuts = Cuts::default();
            let of_connections = cuts.clone();
            let task = tokio::spawn(async move {
                let mut connections = JoinSet::new();
                while let Ok((mut client, _)) = listener.accept().await {
                    let (target, login) = (Arc::clone(&target), *of_next.lock().unwrap());
                    let cuts = of_connections.clone();
                    connections.spawn(async move {
                        let mut server = TcpStream::connect((target.0.as_str(), target.1)).await.unwrap();
                        match login {
                            Login::Passes => {}
                            Login::Delayed(delay) => {
                                encrypts(&mut client, &mut server).await;
                                tokio::time::sleep(delay).await;
                            }
                            Login::Refused(code) => {
                                encrypts(&mut client, &mut server).await;
                                return refuse(&mut client, code).await;
                            }
                            Login::Unanswered => {
                                encrypts(&mut client, &mut server).await;
                                return pending().await;
                            }
                        }
                        forward(client, server, &cuts).await;
                    });
                }
            });
            Self {
                address,
                task,
                login,
                cuts,
            }
        }

        fn set(&self, login: Login) {
            *self.login.lock().unwrap() = login;
        }

        fn cut(&self, cut: Cut) {
            *self.cuts.0.lock().unwrap() = Some(cut);
        }

        /// Breaks all connections and refuses new ones.
        async fn close(self) -> SocketAddr {
            self.task.abort();
            drop(self.task.await);
            self.address
        }
    }

    async fn forward(client: TcpStream, server: TcpStream, cuts: &Cuts) {
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let questions = async {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let length = from_client.read(&mut buffer).await.unwrap_or(0);
                let sent = &buffer[..length];
                let cut = cuts.take(sent);
                let goes_on = cut != Some(false) && to_server.write_all(sent).await.is_ok();
                if length == 0 || !goes_on || cut.is_some() {
                    return cut == Some(true);
                }
            }
        };
        let is_awaited = tokio::select! {
            _ = copy(&mut from_server, &mut to_client) => false,
            is_awaited = questions => is_awaited,
        };
        if is_awaited {
            from_server.read_u8().await.unwrap();
        }
    }

    /// The first question, which is whether the server encrypts, is answered at once.
    async fn encrypts(client: &mut TcpStream, server: &mut TcpStream) {
        let (mut question, mut answer) = ([0; 8], [0; 1]);
        // Whoever has enough of waiting goes away.
        if client.read_exact(&mut question).await.is_ok() {
            server.write_all(&question).await.unwrap();
            server.read_exact(&mut answer).await.unwrap();
            drop(client.write_all(&answer).await);
        }
    }

    async fn refuse(client: &mut TcpStream, code: &str) {
        let mut login = [0; 1024];
        drop(client.read(&mut login).await);
        let fields = format!("SFATAL\0VFATAL\0C{code}\0Mno\0\0");
        let length = u32::try_from(fields.len() + 4).unwrap();
        let message = [b"E".as_slice(), &length.to_be_bytes(), fields.as_bytes()].concat();
        drop(client.write_all(&message).await);
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
        let token = service.new_token("someone@tidewater.example").await;
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
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }

    /// What a restart of a proxy does to all connections but one.
    async fn end_all_but_one(name: &str) {
        let of_database = format!("FROM pg_stat_activity WHERE datname = '{name}'");
        let sql = format!("SELECT pg_terminate_backend(pid) {of_database} AND pid <> (SELECT max(pid) {of_database})");
        administer(&server(), &sql).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn slow_logins_are_waited_for_while_a_connection_works() {
        let Setting {
            service,
            client,
            gate,
            name,
        } = setting().await;
        assert_eq!(statuses((0..MANY).map(|_| read(&client))).await, [200; MANY]);
        gate.set(Login::Delayed(Duration::from_millis(2_500)));
        end_all_but_one(&name).await;
        assert_eq!(statuses((0..MANY).map(|_| read(&client))).await, [200; MANY]);
        end_all_but_one(&name).await;
        assert_eq!(statuses((0..MANY).map(|_| write(&client))).await, [201; MANY]);
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn failed_logins_to_the_database_are_reported_soon() {
        let Setting {
            service,
            client,
            gate,
            name,
        } = setting().await;
        let refused = ["57P03", "53300", "28P01", "28000", "3D000"].map(Login::Refused);
        for login in refused.into_iter().chain([Login::Unanswered]) {
            gate.set(login);
            end_connections(&name).await;
            let started = Instant::now();
            let reads = join_all((0..MANY).map(|_| read(&client)));
            let writes = join_all((0..MANY).map(|_| write(&client)));
            let (reads, writes) = tokio::join!(reads, writes);
            let took = started.elapsed();
            for answer in reads.into_iter().chain(writes) {
                assert_eq!(answer.status(), 503);
                assert_eq!(answer.headers()["retry-after"], "1");
            }
            assert!(took < Duration::from_secs(2), "{took:?}");
            assert_eq!(client.get("/readyz").await.status(), 503);

            gate.set(Login::Passes);
            assert_eq!(read(&client).await.status(), 200);
            assert_eq!(write(&client).await.status(), 201);
        }
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }

    /// All connections are in use, and one more could be made: the wait is not for the server.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_free_connection_is_waited_for() {
        const LONG: Duration = Duration::from_millis(2_500);
        let Setting {
            service, client, gate, ..
        } = setting().await;
        let db = &service.app.kernel.db;
        let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let busy: JoinSet<_> = (0..DbOptions::default().connections)
            .map(|_| {
                let (db, started) = (db.clone(), started.clone());
                async move {
                    db.write(move |_| async move {
                        started.send(()).unwrap();
                        tokio::time::sleep(LONG).await;
                        Ok::<_, DbErr>(())
                    })
                    .await
                }
            })
            .collect();
        for _ in 0..DbOptions::default().connections {
            begun.recv().await.unwrap();
        }
        assert_eq!(statuses((0..MANY).map(|_| read(&client))).await, [200; MANY]);
        for done in busy.join_all().await {
            done.unwrap();
        }
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }

    async fn tokens(client: &Client) -> usize {
        let text = client.get("/v1/user/tokens?limit=1000").await.text().await.unwrap();
        let list: Value = serde_json::from_str(&text).unwrap();
        list["items"].as_array().unwrap().len()
    }

    /// Checks that a caller is told to try again, and returns what else.
    async fn unavailable(answer: Response) -> String {
        assert_eq!(answer.status(), 503);
        assert_eq!(answer.headers()["retry-after"], "1");
        let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(body["error"]["type"], "unavailable");
        body["error"]["message"].as_str().unwrap().to_owned()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_write_that_was_cut_off_is_made_once_or_not_at_all() {
        let Setting {
            service,
            client,
            gate,
            name,
        } = setting().await;
        let before = tokens(&client).await;
        let cut = |times| Cut {
            at: "INSERT INTO",
            times,
            is_done: true,
        };
        // New connections are sent the text of each statement.
        end_connections(&name).await;
        assert_eq!(tokens(&client).await, before);
        gate.cut(cut(1));
        assert_eq!(write(&client).await.status(), 201);
        assert_eq!(tokens(&client).await, before + 1);

        end_connections(&name).await;
        assert_eq!(tokens(&client).await, before + 1);
        gate.cut(cut(usize::MAX));
        let message = unavailable(write(&client).await).await;
        assert!(message.contains("cannot be reached"), "{message}");
        gate.cut(cut(0));
        assert_eq!(tokens(&client).await, before + 1);
        assert_eq!(write(&client).await.status(), 201);
        assert_eq!(tokens(&client).await, before + 2);
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_unknown_outcome_of_a_write_is_reported() {
        let Setting {
            service, client, gate, ..
        } = setting().await;
        let before = tokens(&client).await;
        for (is_done, after) in [(false, before), (true, before + 1)] {
            gate.cut(Cut {
                at: "COMMIT",
                times: 1,
                is_done,
            });
            let message = unavailable(write(&client).await).await;
            assert!(message.contains("may have been made"), "{message}");
            assert_eq!(tokens(&client).await, after);
        }
        assert_eq!(write(&client).await.status(), 201);
        assert_eq!(tokens(&client).await, before + 2);
        service.app.kernel.db.close().await.unwrap();
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
        service.app.kernel.db.close().await.unwrap();
        gate.close().await;
    }
}
