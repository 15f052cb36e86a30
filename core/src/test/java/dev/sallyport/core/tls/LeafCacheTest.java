package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * docs/spec/decisions.md, section 2a: what leaves are like; docs/spec/proxy-config.md, section "tls": how they are
 * kept.
 */
class LeafCacheTest {

    private static final LeafCache.Settings SETTINGS = new LeafCache.Settings(100, Duration.ofDays(3));
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    @ParameterizedTest
    @EnumSource(TestAuthority.Kind.class)
    void leafIsP256WithSha256AndVerifiesAgainstItsAuthority(TestAuthority.Kind kind) throws Exception {
        CertificateAuthority authority = TestAuthority.of(kind);

        X509Certificate leaf = mint(authority, "api.example.com");

        leaf.verify(authority.certificate().getPublicKey());
        leaf.checkValidity();
        assertThat(((ECPublicKey) leaf.getPublicKey()).getParams().getOrder().bitLength())
                .isEqualTo(256);
        assertThat(leaf.getSigAlgName()).startsWith("SHA256with");
        assertThat(leaf.getIssuerX500Principal().getEncoded())
                .isEqualTo(authority.certificate().getSubjectX500Principal().getEncoded());
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, 2, api.example.com",
        "a_b.test, 2, a_b.test",
        "xn--bcher-kva.example, 2, xn--bcher-kva.example",
        "localhost, 2, localhost",
        "192.0.2.7, 7, 192.0.2.7",
        "2001:db8::7, 7, 2001:db8:0:0:0:0:0:7"
    })
    void subjectAlternativeNameIsWhatTheClientAskedFor(String host, int type, String name) throws Exception {
        X509Certificate leaf = mint(TestAuthority.of(TestAuthority.Kind.EC_P256), host);

        assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(type, name));
        assertThat(type).isIn(DNS_NAME, IP_ADDRESS);
        assertThat(leaf.getSubjectX500Principal().getName()).isEqualTo("CN=" + host);
    }

    /** Strict clients accept no certificate that names such a host. */
    @ParameterizedTest
    @CsvSource({"a_b.example.com, *.example.com", "-a.example.com, *.example.com", "a-.b.example.com, *.b.example.com"})
    void aLabelThatIsNoneOfAHostNameGetsTheWildcardOfItsParent(String host, String name) throws Exception {
        X509Certificate leaf = mint(TestAuthority.of(TestAuthority.Kind.EC_P256), host);

        assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(DNS_NAME, name));
        assertThat(leaf.getSubjectX500Principal().getName()).isEqualTo("CN=" + name);
    }

    @Test
    void aLeafBeginsNoEarlierThanItsAuthority() throws Exception {
        CertificateAuthority young = CertificateAuthority.generate("Sallyport", Duration.ofDays(3));
        Instant begin = young.certificate().getNotBefore().toInstant();
        LeafCache leaves = new LeafCache(
                young, new LeafCache.Settings(1, Duration.ofHours(1), Duration.ofDays(30)), Runnable::run);

        X509Certificate leaf =
                leaves.leaf("api.example.com").toCompletableFuture().get().certificate();

        assertThat(leaf.getNotBefore().toInstant()).isEqualTo(begin);
    }

    @Test
    void aLeafIsBackdatedAsConfigured() throws Exception {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        TestAuthority old = new TestAuthority(TestAuthority.Kind.EC_P256);
        old.from = now.minus(Duration.ofDays(60));
        LeafCache leaves = new LeafCache(
                old.authority(),
                new LeafCache.Settings(1, Duration.ofHours(1), Duration.ofDays(30)),
                Runnable::run,
                Clock.fixed(now, ZoneOffset.UTC),
                System::nanoTime);

        X509Certificate leaf =
                leaves.leaf("api.example.com").toCompletableFuture().get().certificate();

        assertThat(leaf.getNotBefore().toInstant()).isEqualTo(now.minus(Duration.ofDays(30)));
    }

    @Test
    void nameThatFitsNoCommonNameStandsInTheCriticalAlternativeNameOnly() throws Exception {
        String host = "a".repeat(60) + "." + "b".repeat(60) + ".example.com";

        X509Certificate leaf = mint(TestAuthority.of(TestAuthority.Kind.EC_P256), host);

        assertThat(leaf.getSubjectX500Principal().getName()).isEmpty();
        assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(DNS_NAME, host));
        assertThat(leaf.getCriticalExtensionOIDs()).contains(Extension.subjectAlternativeName.getId());
    }

    @Test
    void leafMayServeAndNothingElse() throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.RSA_2048);

        X509Certificate leaf = mint(authority, "api.example.com");

        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getKeyUsage()).startsWith(true, false, false, false, false, false);
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
    }

    @Test
    void keyIdentifiersLinkLeafAndAuthority() throws Exception {
        CertificateAuthority authority = CertificateAuthority.generate("Sallyport", Duration.ofDays(3));

        X509Certificate leaf = mint(authority, "api.example.com");

        byte[] ofAuthority = SubjectKeyIdentifier.getInstance(
                        extension(authority.certificate(), Extension.subjectKeyIdentifier.getId()))
                .getKeyIdentifier();
        assertThat(AuthorityKeyIdentifier.getInstance(extension(leaf, Extension.authorityKeyIdentifier.getId()))
                        .getKeyIdentifierOctets())
                .isEqualTo(ofAuthority);
        assertThat(leaf.getExtensionValue(Extension.subjectKeyIdentifier.getId()))
                .isNotNull();
    }

    @Test
    void leafIsBackdatedByFiveMinutesAndValidAsConfigured() throws Exception {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        LeafCache leaves = leaves(TestAuthority.of(TestAuthority.Kind.EC_P256), Clock.fixed(now, ZoneOffset.UTC));

        X509Certificate leaf =
                leaves.leaf("a.example.com").toCompletableFuture().get().certificate();

        assertThat(leaf.getNotBefore().toInstant()).isEqualTo(now.minus(5, ChronoUnit.MINUTES));
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(now.plus(72, ChronoUnit.HOURS));
    }

    @Test
    void leafNeverOutlivesItsAuthority() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.until = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);

        X509Certificate leaf = mint(authority.authority(), "a.example.com");

        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(authority.until);
    }

    @Test
    void expiredAuthorityMintsNothing() throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        Instant later = authority.certificate().getNotAfter().toInstant().plusSeconds(1);

        CompletableFuture<LeafCertificate> leaf = leaves(authority, Clock.fixed(later, ZoneOffset.UTC))
                .leaf("a.example.com")
                .toCompletableFuture();

        assertThatThrownBy(leaf::get).hasMessageContaining("the CA certificate expired at");
    }

    @Test
    void serialNumbersAreRandomOf128Bits() throws Exception {
        LeafFactory factory =
                new LeafFactory(TestAuthority.of(TestAuthority.Kind.EC_P256), SETTINGS, Clock.systemUTC());
        Set<java.math.BigInteger> serials = new HashSet<>();
        int longest = 0;

        for (int i = 0; i < 64; i++) {
            java.math.BigInteger serial =
                    factory.mint("a.example.com").certificate().getSerialNumber();
            assertThat(serial.signum()).isPositive();
            assertThat(serial.bitLength()).isLessThanOrEqualTo(128);
            longest = Math.max(longest, serial.bitLength());
            serials.add(serial);
        }

        assertThat(serials).hasSize(64);
        assertThat(longest).isGreaterThan(120);
    }

    @Test
    void allLeavesShareOneKeyAndTheChainEndsWithTheAuthority() throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        LeafCache leaves = leaves(authority, Clock.systemUTC());

        LeafCertificate one =
                leaves.leaf("one.example.com").toCompletableFuture().get();
        LeafCertificate two =
                leaves.leaf("two.example.com").toCompletableFuture().get();

        assertThat(one.key()).isSameAs(two.key());
        assertThat(one.chain()).containsExactly(one.certificate(), authority.certificate());
    }

    @Test
    void concurrentCallsForOneNameShareOneMinting() throws Exception {
        Queue<Runnable> tasks = new ArrayDeque<>();
        LeafCache leaves = new LeafCache(TestAuthority.of(TestAuthority.Kind.EC_P256), SETTINGS, task -> {
            synchronized (tasks) {
                tasks.add(task);
            }
        });
        int callers = 16;
        CountDownLatch begin = new CountDownLatch(1);
        List<CompletableFuture<CompletableFuture<LeafCertificate>>> calls = new ArrayList<>();

        try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
            for (int i = 0; i < callers; i++) {
                calls.add(CompletableFuture.supplyAsync(
                        () -> {
                            await(begin);
                            return leaves.leaf("a.example.com").toCompletableFuture();
                        },
                        threads));
            }
            begin.countDown();
            CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
        }

        assertThat(leaves.cached("a.example.com")).isNull();
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        Set<LeafCertificate> minted = new HashSet<>();
        for (CompletableFuture<CompletableFuture<LeafCertificate>> call : calls) {
            minted.add(call.get().get());
        }
        assertThat(minted).hasSize(1);
        assertThat(leaves.cached("a.example.com")).isSameAs(minted.iterator().next());
    }

    @Test
    void leafIsRenewedWellBeforeItsEnd() throws Exception {
        AtomicLong nanos = new AtomicLong();
        Ticker ticker = nanos::get;
        LeafCache leaves = new LeafCache(
                TestAuthority.of(TestAuthority.Kind.EC_P256), SETTINGS, Runnable::run, Clock.systemUTC(), ticker);
        LeafCertificate first =
                leaves.leaf("a.example.com").toCompletableFuture().get();

        nanos.addAndGet(Duration.ofHours(53).toNanos());
        assertThat(leaves.leaf("a.example.com").toCompletableFuture().get()).isSameAs(first);
        nanos.addAndGet(Duration.ofHours(2).toNanos());

        assertThat(leaves.cached("a.example.com")).isNull();
        assertThat(leaves.leaf("a.example.com").toCompletableFuture().get()).isNotSameAs(first);
    }

    @Test
    void cacheKeepsNoMoreThanItsSize() throws Exception {
        LeafCache leaves = new LeafCache(
                TestAuthority.of(TestAuthority.Kind.EC_P256),
                new LeafCache.Settings(2, Duration.ofHours(1)),
                Runnable::run);
        int there = 0;

        for (int i = 0; i < 10; i++) {
            leaves.leaf("h" + i + ".example.com").toCompletableFuture().get();
        }

        for (int i = 0; i < 10; i++) {
            there += leaves.cached("h" + i + ".example.com") == null ? 0 : 1;
        }
        assertThat(there).isEqualTo(2);
    }

    @Test
    void fullExecutorFailsTheCallAndIsForgotten() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        LeafCache leaves = new LeafCache(TestAuthority.of(TestAuthority.Kind.EC_P256), SETTINGS, task -> {
            if (calls.getAndIncrement() == 0) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        });

        assertThat(leaves.leaf("a.example.com").toCompletableFuture()).isCompletedExceptionally();
        assertThat(leaves.leaf("a.example.com").toCompletableFuture()).isCompleted();
        assertThat(calls).hasValue(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] extension(X509Certificate certificate, String id) {
        return ASN1OctetString.getInstance(certificate.getExtensionValue(id)).getOctets();
    }

    private static X509Certificate mint(CertificateAuthority authority, String host) throws Exception {
        return leaves(authority, Clock.systemUTC())
                .leaf(host)
                .toCompletableFuture()
                .get()
                .certificate();
    }

    private static LeafCache leaves(CertificateAuthority authority, Clock clock) {
        return new LeafCache(authority, SETTINGS, Runnable::run, clock, Ticker.systemTicker());
    }
}
