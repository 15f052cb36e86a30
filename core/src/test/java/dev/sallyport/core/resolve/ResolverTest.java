package dev.sallyport.core.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.testsupport.TestDnsServer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/spec/proxy-config.md, section "dns", upstream_resolver: names of upstreams, against a real server on loopback.
 */
class ResolverTest {

    private static final AddressFamilies BOTH = new AddressFamilies(true, true);
    private static final AddressFamilies FOUR = new AddressFamilies(false, false);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final TestDnsServer server = new TestDnsServer();
    private final AtomicLong nanos = new AtomicLong();
    private final List<Resolver> resolvers = new ArrayList<>();
    private String hosts = "";

    @AfterEach
    void stop() {
        resolvers.forEach(Resolver::close);
        server.close();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void familiesAlternateBeginningWithThePreferredOne() throws Exception {
        server.address("a.test", "192.0.2.1", 60)
                .address("a.test", "192.0.2.2", 60)
                .address("a.test", "2001:db8::1", 60);

        assertThat(resolve(resolver(BOTH), "a.test")).containsExactly("2001:db8::1", "192.0.2.1", "192.0.2.2");
        assertThat(resolve(resolver(new AddressFamilies(true, false)), "a.test"))
                .containsExactly("192.0.2.1", "2001:db8::1", "192.0.2.2");
        assertThat(resolve(resolver(FOUR), "a.test")).containsExactly("192.0.2.1", "192.0.2.2");
    }

    @Test
    void preparingAsksNobody() throws Exception {
        server.address("a.test", "192.0.2.1", 60);
        Resolver resolver = resolver(FOUR);

        resolver.prepare(loop).get(10, TimeUnit.SECONDS);
        resolver.prepare(loop).get(10, TimeUnit.SECONDS);

        assertThat(resolve(resolver, "a.test")).containsExactly("192.0.2.1");
        assertThat(server.asked).hasSize(1);
    }

    @Test
    void oneFamilyIsEnough() throws Exception {
        server.address("six.test", "2001:db8::6", 60).address("four.test", "192.0.2.4", 60);
        Resolver resolver = resolver(BOTH);

        assertThat(resolve(resolver, "six.test")).containsExactly("2001:db8::6");
        assertThat(resolve(resolver, "four.test")).containsExactly("192.0.2.4");
    }

    @Test
    void aliasesAreFollowed() throws Exception {
        server.alias("www.test", "origin.test").address("origin.test", "192.0.2.9", 60);

        assertThat(resolve(resolver(FOUR), "www.test")).containsExactly("192.0.2.9");
    }

    @Test
    void aNameThatDoesNotExistIsToldFromOneWithoutAddressFailureAndSilence() {
        server.empty("empty.test").fail("broken.test", DnsResponseCode.SERVFAIL).drop("silent.test", Integer.MAX_VALUE);
        Resolver resolver = resolver(BOTH);

        assertFailure(resolver, "none.test", ResolveException.Kind.NOT_FOUND, "the name none.test does not exist");
        assertFailure(
                resolver, "empty.test", ResolveException.Kind.NO_ADDRESS, "the resolver has no address for empty.test");
        assertFailure(
                resolver, "broken.test", ResolveException.Kind.FAILED, "the resolver failed to answer for broken.test");
        assertFailure(
                resolver,
                "silent.test",
                ResolveException.Kind.TIMEOUT,
                "the resolver did not answer in time for silent.test");
    }

    @Test
    void aLostPacketIsSentAgain() throws Exception {
        server.address("lossy.test", "192.0.2.3", 60).drop("lossy.test", 1);

        assertThat(resolve(resolver(FOUR), "lossy.test")).containsExactly("192.0.2.3");
        assertThat(server.asked).hasSize(2);
    }

    /** Its names are chains of pointers, and each takes the longer to read the more there are before it. */
    @Test
    void ofManyAddressesOnlySomeAreTaken() throws Exception {
        server.chain("many.test", 400);

        assertThat(resolve(resolver(FOUR), "many.test"))
                .hasSize(128)
                .startsWith("127.1.0.0", "127.1.0.1")
                .endsWith("127.1.0.127");
        assertThat(server.asked).containsExactly("udp A many.test.", "tcp A many.test.");
    }

    /** Nobody needs more than 8 KiB of addresses; all of an answer would be decoded at once. */
    @Test
    void anAnswerOfThousandsOfAddressesIsNotRead() throws Exception {
        server.chain("crowd.test", 4000).address("four.test", "192.0.2.4", 60);
        Resolver resolver = resolver(FOUR);

        // What counts is what came over UDP, which had none.
        assertFailure(
                resolver, "crowd.test", ResolveException.Kind.NO_ADDRESS, "the resolver has no address for crowd.test");
        assertThat(resolve(resolver, "four.test")).containsExactly("192.0.2.4");
    }

    @Test
    void anAnswerThatWasCutShortIsFetchedOverTcp() throws Exception {
        server.truncate("big.test");
        for (int i = 1; i <= 100; i++) {
            server.address("big.test", "192.0.2." + i, 60);
        }

        assertThat(resolve(resolver(FOUR), "big.test")).hasSize(100);
        assertThat(server.asked).containsExactly("udp A big.test.", "tcp A big.test.");
    }

    @ParameterizedTest
    @CsvSource({"60, 59, 61", "0, 1, 3", "999999, 599, 601"})
    void answersAreKeptForTheirTimeToLiveWithinBounds(long ttl, long kept, long gone) throws Exception {
        server.address("a.test", "192.0.2.1", ttl);
        Resolver resolver = resolver(FOUR);
        resolve(resolver, "a.test");

        nanos.set(Duration.ofSeconds(kept).toNanos() - 1);
        resolve(resolver, "a.test");
        assertThat(server.asked).hasSize(1);
        nanos.set(Duration.ofSeconds(gone).toNanos());
        resolve(resolver, "a.test");

        assertThat(server.asked).hasSize(2);
    }

    @Test
    void thatThereIsNoAddressIsKeptForAShortWhileAndFailuresAreNot() {
        server.fail("broken.test", DnsResponseCode.SERVFAIL);
        Resolver resolver = resolver(FOUR);
        assertFailure(resolver, "none.test", ResolveException.Kind.NOT_FOUND, "the name none.test does not exist");
        int once = server.asked.size();

        assertFailure(resolver, "none.test", ResolveException.Kind.NOT_FOUND, "the name none.test does not exist");
        assertThat(server.asked).hasSize(once);
        nanos.set(Duration.ofSeconds(6).toNanos());
        server.address("none.test", "192.0.2.1", 60);

        assertThat(resolver.resolveAll(loop, "none.test").awaitUninterruptibly().isSuccess())
                .isTrue();
        assertFailure(
                resolver, "broken.test", ResolveException.Kind.FAILED, "the resolver failed to answer for broken.test");
        int asked = server.asked.size();
        assertFailure(
                resolver, "broken.test", ResolveException.Kind.FAILED, "the resolver failed to answer for broken.test");
        assertThat(server.asked).hasSizeGreaterThan(asked);
    }

    @Test
    void answersAreSharedByAllLoops() throws Exception {
        server.address("a.test", "192.0.2.1", 60);
        Resolver resolver = resolver(FOUR);

        resolve(resolver, "a.test");
        List<InetAddress> other = resolver.resolveAll(group.next(), "a.test").get();

        assertThat(other).containsExactly(address("192.0.2.1"));
        assertThat(server.asked).hasSize(1);
    }

    @Test
    void concurrentQuestionsForOneNameAreAskedOnce() throws Exception {
        server.address("a.test", "192.0.2.1", 60);
        Resolver resolver = resolver(FOUR);

        List<Future<List<InetAddress>>> all = loop.submit(() -> {
                    List<Future<List<InetAddress>>> futures = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        futures.add(resolver.resolveAll(loop, "a.test"));
                    }
                    return futures;
                })
                .get();

        for (Future<List<InetAddress>> one : all) {
            assertThat(one.get()).containsExactly(address("192.0.2.1"));
        }
        assertThat(server.asked).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.7, 192.0.2.7", "2001:db8::7, 2001:db8::7", "::1, ::1"})
    void literalsAreNeverAsked(String literal, String expected) throws Exception {
        assertThat(resolve(resolver(BOTH), literal)).containsExactly(expected);
        assertThat(server.asked).isEmpty();
    }

    @Test
    void hostsFileAndLocalhostAreNeverAskedEvenWithAResolverOfOnesOwn() throws Exception {
        hosts = "192.0.2.80 intranet.test\n2001:db8::80 intranet.test\n";
        server.address("intranet.test", "203.0.113.1", 60);
        Resolver resolver = resolver(BOTH);

        assertThat(resolve(resolver, "intranet.test")).containsExactly("2001:db8::80", "192.0.2.80");
        assertThat(resolve(resolver, "localhost")).containsExactly("::1", "127.0.0.1");
        assertThat(resolve(resolver, "app.localhost")).containsExactly("::1", "127.0.0.1");
        assertThat(server.asked).isEmpty();
    }

    @Test
    void theNameThatWasJudgedIsTheNameThatIsAsked() {
        Resolver resolver = resolver(FOUR);

        assertFailure(resolver, "a.b.test", ResolveException.Kind.NOT_FOUND, "the name a.b.test does not exist");
        assertFailure(resolver, "single", ResolveException.Kind.NOT_FOUND, "the name single does not exist");

        assertThat(server.asked).containsOnly("udp A a.b.test.", "udp A single.");
    }

    @Test
    void namesThatCannotBeAskedDoNotExist() {
        String longLabel = "a".repeat(64) + ".test";

        assertFailure(
                resolver(BOTH),
                longLabel,
                ResolveException.Kind.NOT_FOUND,
                "the name " + longLabel + " does not exist");
    }

    @Test
    void worksOnEpollLoops() throws Exception {
        server.address("a.test", "192.0.2.1", 60).truncate("big.test").address("big.test", "192.0.2.2", 60);
        EventLoopGroup epoll = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        Resolver resolver = resolver(FOUR);
        try {
            assertThat(resolver.resolveAll(epoll.next(), "a.test").get()).containsExactly(address("192.0.2.1"));
            assertThat(resolver.resolveAll(epoll.next(), "big.test").get()).containsExactly(address("192.0.2.2"));
        } finally {
            resolver.close();
            epoll.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void closedResolverAnswersNothing() {
        Resolver resolver = resolver(FOUR);
        resolver.close();

        assertFailure(resolver, "a.test", ResolveException.Kind.FAILED, "the resolver has been closed");
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4, 53",
        "1.2.3.4:5353, 1.2.3.4, 5353",
        "::1, ::1, 53",
        "[::1], ::1, 53",
        "[::1]:54, ::1, 54",
        "2001:db8::53, 2001:db8::53, 53"
    })
    void serverAddressesAreRead(String text, String address, int port) {
        assertThat(ResolverSettings.parseServer(text))
                .isEqualTo(new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(address), port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "dns.example.com",
                "1.2.3.4:",
                "1.2.3.4:0",
                "1.2.3.4:65536",
                "1.2.3.4:+1",
                "[1.2.3.4]:53",
                "[::1",
                "::1]",
                "[::1]x",
                "[::1]:",
                "1.2.3",
                "1.2.3.4:5:6"
            })
    void otherServerAddressesAreRefusedWithoutShowingThem(String text) {
        assertThatThrownBy(() -> ResolverSettings.parseServer(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: ");
    }

    private Resolver resolver(AddressFamilies families) {
        ResolverSettings settings =
                ResolverSettings.system().withServer(server.address()).withTimeout(Duration.ofSeconds(2));
        HostsFile file = new HostsFile(() -> parse(hosts), Runnable::run);
        Resolver resolver = new Resolver(settings, file, families, nanos::get);
        resolvers.add(resolver);
        return resolver;
    }

    private static HostsFileEntriesProvider parse(String text) {
        try {
            return HostsFileEntriesProvider.parser().parse(new StringReader(text));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> resolve(Resolver resolver, String host) throws ExecutionException, InterruptedException {
        return resolver.resolveAll(loop, host).get().stream()
                .map(NetUtil::toAddressString)
                .toList();
    }

    private void assertFailure(Resolver resolver, String host, ResolveException.Kind kind, String message) {
        Throwable failure =
                resolver.resolveAll(loop, host).awaitUninterruptibly().cause();
        assertThat(failure).isInstanceOf(ResolveException.class).hasMessage(message);
        assertThat(((ResolveException) failure).kind()).isEqualTo(kind);
    }

    private static InetAddress address(String text) {
        return NetUtil.createInetAddressFromIpAddressString(text);
    }
}
