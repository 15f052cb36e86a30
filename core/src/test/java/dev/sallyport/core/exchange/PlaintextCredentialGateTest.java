package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.upstream.RouteCheckListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Without TLS a credential leaves for a near address or not at all; the fixture's origin is reached without TLS. */
class PlaintextCredentialGateTest {

    private static final Capabilities INJECTING = Capabilities.builder()
            .writes(Part.REQUEST_HEADERS)
            .effects(Effect.INJECTS_CREDENTIAL)
            .build();

    private final StringBuilder steps = new StringBuilder();

    private static Edits credential(boolean overPlaintext) {
        return Edits.builder()
                .overPlaintext(overPlaintext)
                .credential(Credential.of("KEY", "a-real-credential"))
                .sensitive()
                .setHeader("X-Key", "a-real-credential")
                .build();
    }

    private static ExchangeFixture injecting(boolean overPlaintext) {
        return new ExchangeFixture((InlineTransform) request -> Decision.proceed(credential(overPlaintext)), INJECTING);
    }

    private ExchangeFixture minting() {
        return new ExchangeFixture(
                (InlineTransform) request -> Decision.later(RequestStep.inline(context -> {
                    steps.append("minted");
                    return Decision.proceed(credential(false));
                })),
                INJECTING);
    }

    private static InetSocketAddress far() throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 80);
    }

    private static RouteCheckListener check(ExchangeFixture exchange) {
        RouteCheckListener waiting = exchange.checking();
        if (waiting == null) {
            throw new AssertionError("nobody asked whether the origin is near");
        }
        return waiting;
    }

    @Test
    void aRequestWithACredentialIsDialledAtNearAddressesOnly() {
        try (ExchangeFixture exchange = injecting(false)) {
            exchange.upload().onEnd(new HeaderBlock(1));

            assertThat(exchange.origin).containsExactly("open near");
            exchange.ready(false);
            assertThat(exchange.origin).endsWith("1 GET whole");
        }
    }

    @Test
    void aCredentialThatMayTravelInTheClearIsDialledAnywhere() throws Exception {
        try (ExchangeFixture exchange = injecting(true)) {
            exchange.upload().onEnd(new HeaderBlock(1));
            assertThat(exchange.origin).containsExactly("open");

            exchange.originAt(far());
            exchange.ready(false);
            assertThat(exchange.origin).endsWith("1 GET whole");
        }
    }

    @Test
    void anOriginWithoutANearAddressIsRefusedInTheNameOfTheTransform() throws Exception {
        try (ExchangeFixture exchange = injecting(false)) {
            exchange.upload().onEnd(new HeaderBlock(1));
            exchange.fail(Kind.PLAINTEXT_CREDENTIAL);

            assertThat(exchange.client).contains("403");
            assertThat(exchange.client.toString())
                    .contains("plaintext_credential", "allow_plaintext: true")
                    .doesNotContain("a-real-credential");
            assertThat(exchange.record())
                    .contains("\"action\":\"reject\"", "\"rejected_by\":\"given\"", "plaintext_credential")
                    .doesNotContain("a-real-credential");
        }
    }

    @Test
    void nothingIsMintedBeforeANearAddressIsKnown() {
        try (ExchangeFixture exchange = minting()) {
            exchange.upload().onEnd(new HeaderBlock(1));
            assertThat(exchange.origin).containsExactly("check near");
            assertThat(steps).isEmpty();

            check(exchange).onPassed(List.of());

            assertThat(steps).hasToString("minted");
            assertThat(exchange.origin).containsExactly("check near", "open near");
        }
    }

    @Test
    void nothingIsMintedForAnOriginThatIsFar() throws Exception {
        try (ExchangeFixture exchange = minting()) {
            exchange.upload().onEnd(new HeaderBlock(1));
            check(exchange)
                    .onFailure(new UpstreamFailure(
                            Kind.PLAINTEXT_CREDENTIAL, "origin.example: far", UpstreamFailure.Repeat.NEVER));

            assertThat(steps).isEmpty();
            assertThat(exchange.client).contains("403");
            assertThat(exchange.origin).doesNotContain("open", "open near");
            assertThat(exchange.record())
                    .contains("\"rejected_by\":\"given\"", "plaintext_credential: origin.example: far");
        }
    }

    @Test
    void aCheckThatFailsOtherwiseIsThatFailure() throws Exception {
        try (ExchangeFixture exchange = minting()) {
            exchange.upload().onEnd(new HeaderBlock(1));
            check(exchange)
                    .onFailure(new UpstreamFailure(
                            Kind.UPSTREAM_UNREACHABLE, "origin.example: no such name", UpstreamFailure.Repeat.NEVER));

            assertThat(steps).isEmpty();
            assertThat(exchange.client).contains("502");
            assertThat(exchange.record()).contains("\"action\":\"error\"").doesNotContain("rejected_by\":\"given");
        }
    }

    @Test
    void aClientThatLeavesEndsTheCheck() {
        try (ExchangeFixture exchange = minting()) {
            exchange.upload().onEnd(new HeaderBlock(1));
            exchange.upload().onGone(DisconnectReason.LEFT);
            assertThat(exchange.origin).containsExactly("check near", "cancel check");

            RouteCheckListener check = check(exchange);
            assertThatCode(() -> check.onPassed(List.of())).doesNotThrowAnyException();
            assertThat(steps).isEmpty();
        }
    }
}
