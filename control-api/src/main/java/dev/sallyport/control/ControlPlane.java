package dev.sallyport.control;

import dev.sallyport.control.account.AccountSettings;
import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.account.LogMail;
import dev.sallyport.control.account.Mail;
import dev.sallyport.control.account.SignInGuard;
import dev.sallyport.control.account.SmtpMail;
import dev.sallyport.control.account.SmtpSettings;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.api.Deployment;
import dev.sallyport.control.api.RateLimits;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.feed.EmbeddedDoor;
import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.control.feed.EmbeddedProxy;
import dev.sallyport.control.feed.EventMeters;
import dev.sallyport.control.feed.GuestGate;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.proxy.AuditHeads;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.control.store.SqliteFile;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreException;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.Companion;
import dev.sallyport.core.ProxyInfo;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.ListenerKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A control plane, from its start to its end. */
final class ControlPlane implements Companion {

    private static final Logger LOG = LoggerFactory.getLogger(ControlPlane.class);

    /** How long the end waits for mails that are queued. A command of the operator has nothing else to do. */
    private static final Duration MAIL_EMBEDDED = Duration.ofSeconds(3);

    private static final Duration MAIL_OFFLINE = Duration.ofSeconds(10);

    /** Longer than any request takes from sealing a value to storing it. */
    private static final Duration SETTLING_ALONE = Duration.ofSeconds(5);

    /** The same, where several wait for one database. */
    private static final Duration SETTLING_OF_REPLICAS = Duration.ofSeconds(15);

    private final ControlConfig config;
    private final Surroundings surroundings;
    private final Closers closing = new Closers();
    private final SandboxdKeeper sandboxd = new SandboxdKeeper(SandboxdKeeper.Pace.USUAL);
    private volatile @Nullable ControlServer server;

    ControlPlane(ControlConfig config, Surroundings surroundings) {
        this.config = config;
        this.surroundings = surroundings;
    }

    /** Opens database and listener. Blocks. */
    @Override
    public void prepare() throws ConfigException {
        Surroundings.Proxy proxy = surroundings.proxy();
        if (proxy != null) {
            EmbeddedProxy.withhold(proxy.door());
        }
        StateFolder folder = take();
        SandboxParts sandboxes = SandboxParts.of(config.sandboxes(), config.baseUrl());
        closing.add(sandboxes.driver()::close);
        closing.add(sandboxd::close);
        if (proxy != null) { // with driver none, too: guests of before may run
            GuestGate.shut(proxy.door(), sandboxes.settings().subnet().toString());
        }
        ControlParts parts = parts(folder, MAIL_EMBEDDED, sandboxes);
        KeyRotation rotation = rotation(folder, parts);
        parts.envelope().onUnknownKey(rotation::renew);
        KeyWatch watch = KeyWatch.start(rotation, isAlone(folder));
        closing.add(watch::close);
        parts.envelope().onMissedKey(watch::lookSoon);
        ControlServer made = ControlServer.start(config, parts);
        closing.add(made::close);
        server = made;
        watch.onRenewal(made.fanout()::wake);
        made.workloads().start();
        made.fanout().start();
        made.proxy().connect();
        if (proxy != null) {
            store(proxy.events(), made);
        }
        resume(made);
        Housekeeping housekeeping = Housekeeping.start(made, parts.store(), config);
        closing.add(housekeeping::close);
        AdminSocket admin = AdminSocket.open(
                folder.socket(),
                new AdminCommands(made.users(), parts.store(), rotation, made.sharedProxies(), made.auditHeads()));
        closing.add(admin::close);
        if (config.baseUrl() != null) {
            LOG.info("control plane listens on {}", made.address());
        }
        LOG.info("control plane at {}", baseUrl());
    }

    /** Now the gate of guests is open, and its ports are known. */
    @Override
    public void started(ProxyInfo proxy) {
        Surroundings.Proxy present = surroundings.proxy();
        if (present != null) {
            new SandboxdStart(config, present.program(), surroundings.environment())
                    .begin(
                            sandboxd,
                            new SandboxdOptions.Gate(
                                    port(proxy.address(ListenerKind.HTTP)),
                                    port(proxy.dnsAddress()),
                                    proxy.authority()));
        }
    }

    private static int port(@Nullable InetSocketAddress address) {
        return address == null ? 0 : address.getPort();
    }

    /** Has the events of the proxy come to the database. */
    private void store(EmbeddedEvents events, ControlServer made) {
        events.start(made.events(), made.proxy()::owner);
        closing.add(events::end);
        EventMeters meters = new EventMeters(surroundings.telemetry(), events);
        closing.add(meters::close);
    }

    private static void resume(ControlServer server) throws ConfigException {
        try {
            server.reconciler().start();
            server.agents().start();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException("/sandboxes", "the start was interrupted", "none").causedBy(e);
        }
    }

    /** Opens the database alone. */
    AdminCommands prepareOffline() throws ConfigException {
        StateFolder folder = take();
        ControlParts parts = parts(folder, MAIL_OFFLINE, SandboxParts.off(config.sandboxes()));
        AdminAudit audit = new AdminAudit(parts.store(), parts.ids());
        ApiKeys keys = new ApiKeys(parts.store(), parts.ids(), audit, parts.clock());
        Proxies proxies = new Proxies(parts.store(), parts.ids(), audit, parts.clock());
        SharedProxies shared = new SharedProxies(parts.store(), proxies);
        return new AdminCommands(
                new Users(
                        new Users.Parts(parts.store(), parts.ids(), audit),
                        parts.passwords(),
                        keys,
                        new Users.Outside(parts.mail(), parts.accounts()),
                        new SignInGuard()),
                parts.store(),
                rotation(folder, parts),
                shared,
                AuditHeads.in(parts.store(), parts.envelope(), proxies, shared));
    }

    /**
     * Puts a backup in the place of the database, while no control plane runs.
     *
     * @throws ConfigException when one runs, or the backup cannot be used
     */
    void restore(Path backup) throws ConfigException {
        StateFolder folder = take();
        Path database = SqliteFile.of(databaseUrl(folder));
        if (database == null) {
            throw new ConfigException(
                    "/database/url",
                    "not SQLite in a file",
                    "SQLite; PostgreSQL restores its own backups, with pg_restore");
        }
        EncryptionKey key = key(folder);
        if (!key.exists()) {
            throw new ConfigException(
                    "/encryption",
                    "there is no key, and a backup is of no use without its own",
                    "the key of the backup");
        }
        new Restore(database, key, surroundings.clock()).from(backup);
    }

    private String databaseUrl(StateFolder folder) {
        String url = config.database().url();
        return url == null ? folder.databaseUrl() : url;
    }

    private StateFolder take() throws ConfigException {
        StateFolder folder = StateFolder.take(config.stateDir());
        closing.add(folder::close);
        return folder;
    }

    private ControlParts parts(StateFolder folder, Duration mailPatience, SandboxParts sandboxes)
            throws ConfigException {
        Store store = store(folder);
        closing.add(store::close);
        EncryptionKey key = key(folder);
        Envelope envelope = KeyCheck.envelope(key, store);
        KeyCheck.check(store, envelope);
        Passwords passwords = new Passwords(surroundings.passwords());
        closing.add(passwords::close);
        Surroundings.Proxy proxy = surroundings.proxy();
        return new ControlParts(
                store,
                key,
                envelope,
                passwords,
                mail(mailPatience),
                new AccountSettings(config.signUp() == ControlConfig.SignUp.OPEN, this::baseUrl),
                rates(),
                new Deployment(config.isSecure(), version(), config.trustedProxies(), config.tags()),
                new EmbeddedDoor(
                        proxy == null ? null : proxy.door(),
                        config.tags(),
                        config.defaultAccount(),
                        Set.copyOf(config.policySources()),
                        proxy == null ? List::of : proxy.deniedRanges()),
                sandboxes,
                surroundings.telemetry(),
                surroundings.clock(),
                new Ids());
    }

    private KeyRotation rotation(StateFolder folder, ControlParts parts) {
        return new KeyRotation(
                parts.store(), parts.envelope(), parts.key(), isAlone(folder) ? SETTLING_ALONE : SETTLING_OF_REPLICAS);
    }

    /** Whether no other process can use the database. */
    private boolean isAlone(StateFolder folder) {
        return SqliteFile.of(databaseUrl(folder)) != null;
    }

    private EncryptionKey key(StateFolder folder) throws ConfigException {
        ControlConfig.Encryption encryption = config.encryption();
        if (encryption.keyEnv() != null) {
            return new KeyInVariable(encryption.keyEnv(), variable(encryption.keyEnv()));
        }
        String kms = encryption.kmsKeyId();
        if (kms != null) {
            return new KeyInKms(AwsKms.key(kms));
        }
        return new KeyInFile(encryption.keyFile() == null ? folder.keyFile() : encryption.keyFile());
    }

    private @Nullable String variable(@Nullable String name) {
        return name == null ? null : surroundings.environment().apply(name);
    }

    /** The value of a variable that must be set, or null when none is named. */
    private @Nullable String required(String pointer, @Nullable String name) throws ConfigException {
        String value = variable(name);
        if (name != null && (value == null || value.isEmpty())) {
            throw new ConfigException(pointer, "the variable " + name + " is not set", "a value in it");
        }
        return value;
    }

    private Store store(StateFolder folder) throws ConfigException {
        ControlConfig.Database database = config.database();
        StoreSettings settings = new StoreSettings(
                databaseUrl(folder),
                required("/database/user_env", database.userEnv()),
                required("/database/password_env", database.passwordEnv()));
        try {
            return Store.open(settings, surroundings.clock(), surroundings.telemetry());
        } catch (StoreException e) {
            throw new ConfigException("/database", String.valueOf(e.getMessage()), e.expected());
        }
    }

    private Mail mail(Duration patience) throws ConfigException {
        ControlConfig.Mail mail = config.mail();
        if (mail == null) {
            return new LogMail();
        }
        SmtpMail smtp = new SmtpMail(
                new SmtpSettings(
                        mail.smtpHost(),
                        mail.smtpPort(),
                        required("/mail/username_env", mail.usernameEnv()),
                        required("/mail/password_env", mail.passwordEnv()),
                        mail.from(),
                        mail.starttls()),
                patience);
        closing.add(smtp::close);
        return smtp;
    }

    private RateLimits.Rates rates() {
        ControlConfig.RateLimits limits = config.rateLimits();
        ControlConfig.Feed feed = config.feed();
        return new RateLimits.Rates(
                new RateLimits.Rate(limits.keyBurst(), limits.keyPerMinute() / 60.0),
                new RateLimits.Rate(limits.addressPerMinute(), limits.addressPerMinute() / 60.0),
                new RateLimits.Rate(limits.pollBurst(), limits.pollPerSecond()),
                new RateLimits.Rate(limits.signUpsPerHour(), limits.signUpsPerHour() / 3600.0),
                new RateLimits.Rate(feed.connectBurst(), feed.connectsPerSecond()),
                new RateLimits.Rate(feed.eventsBurst(), feed.eventsPerSecond()));
    }

    private static String version() {
        String version = ControlPlane.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    /** The address as clients know it. */
    private String baseUrl() {
        String configured = config.baseUrl();
        if (configured != null) {
            return configured;
        }
        ControlServer running = server;
        int port = running == null ? config.listen().port() : running.address().getPort();
        String host = config.isAnyAddress() ? "localhost" : config.listen().host();
        return (config.tls() == null ? "http://" : "https://") + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":"
                + port;
    }

    @Override
    public List<InetSocketAddress> addresses() {
        ControlServer running = server;
        return running == null ? List.of() : List.of(running.address());
    }

    /** The running server; null before {@link #prepare} and after {@link #close}. */
    @Nullable ControlServer server() {
        return server;
    }

    @Override
    public boolean ready() {
        Surroundings.Proxy proxy = surroundings.proxy();
        return server != null && (proxy == null || proxy.events().ready());
    }

    @Override
    public void close() {
        server = null;
        closing.close();
    }
}
