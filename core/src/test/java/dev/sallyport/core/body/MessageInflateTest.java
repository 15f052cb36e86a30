package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.toolkit.coding.Codings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Compressed messages of gRPC")
class MessageInflateTest {

    private static final int CAP = 1 << 16;

    private static final byte[] LONG = TestRewriters.latin1("0123456789abcdef".repeat(1000));

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    @DisplayName("are written as plain ones, wherever the stream is cut")
    void areWrittenAsPlainOnes(String coding) {
        byte[] sent = join(
                message(0, TestRewriters.latin1("plain")),
                message(1, BodyFixture.encode(coding, TestRewriters.latin1("packed"))),
                message(1, new byte[0]),
                message(0, new byte[0]),
                message(1, BodyFixture.encode(coding, LONG)),
                message(0x81, BodyFixture.encode(coding, TestRewriters.latin1("grpc-status:0"))));
        byte[] expected = join(
                message(0, TestRewriters.latin1("plain")),
                message(0, TestRewriters.latin1("packed")),
                message(0, new byte[0]),
                message(0, new byte[0]),
                message(0, LONG),
                message(0x80, TestRewriters.latin1("grpc-status:0")));
        for (int cut = 0; cut <= sent.length; cut++) {
            BodyFixture fixture = inflating(coding, CAP);
            fixture.send(sent, 0, cut);
            fixture.send(sent, cut, sent.length - cut);
            fixture.finish();
            assertThat(fixture.sink.failure).as("cut at %d", cut).isNull();
            assertThat(fixture.sink.bytes()).as("cut at %d", cut).isEqualTo(expected);
            assertThat(fixture.body.altered()).isTrue();
            fixture.assertNothingHeld();
        }
    }

    @Test
    @DisplayName("go on one by one, before the stream has ended")
    void goOnOneByOne() {
        BodyFixture fixture = inflating("gzip", CAP);
        fixture.send(message(1, BodyFixture.encode("gzip", TestRewriters.latin1("first"))));
        assertThat(fixture.sink.bytes()).isEqualTo(message(0, TestRewriters.latin1("first")));
        assertThat(fixture.credited).isEqualTo(fixture.given);
        fixture.finish();
        fixture.assertNothingHeld();
    }

    @Test
    @DisplayName("may consist of several members of gzip")
    void mayHaveSeveralMembers() {
        byte[] members = join(
                BodyFixture.encode("gzip", TestRewriters.latin1("one ")),
                BodyFixture.encode("gzip", new byte[0]),
                BodyFixture.encode("gzip", TestRewriters.latin1("and another")));
        BodyFixture fixture = inflating("gzip", CAP);
        fixture.send(join(message(1, members), message(0, TestRewriters.latin1("next"))));
        fixture.finish();
        assertThat(fixture.sink.failure).isNull();
        assertThat(fixture.sink.bytes())
                .isEqualTo(join(
                        message(0, TestRewriters.latin1("one and another")), message(0, TestRewriters.latin1("next"))));
        fixture.assertNothingHeld();
    }

    @Test
    @DisplayName("give the sender credit while one of them is incomplete")
    void giveCredit() {
        byte[] sent = message(1, BodyFixture.encode("gzip", LONG));
        BodyFixture fixture = inflating("gzip", CAP);
        fixture.send(sent, 0, sent.length - 1);
        assertThat(fixture.credited).isEqualTo(fixture.given);
        assertThat(fixture.budget.used()).isPositive();
        fixture.body.abort();
        fixture.assertNothingHeld();
    }

    @Test
    @DisplayName("fail beyond the cap of what is buffered")
    void failBeyondTheCap() {
        BodyFixture fixture = inflating("gzip", LONG.length - 1);
        fixture.send(message(1, BodyFixture.encode("gzip", LONG)));
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.TOO_LARGE);
        fixture.assertNothingHeld();
    }

    @Test
    @DisplayName("fail where all bodies together hold too much")
    void failOverBudget() {
        BodyFixture fixture = new BodyFixture(new BodyBudget(8192), BodyLimits.response(CAP), -1, null, "");
        fixture.body.inflateMessages(Codings.parse("gzip"));
        fixture.body.release(fixture.sink);
        fixture.send(message(1, BodyFixture.encode("gzip", LONG)));
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.OVER_BUDGET);
        fixture.assertNothingHeld();
    }

    @Test
    @DisplayName("fail when they are broken, or end before their length")
    void failWhenTheyAreBroken() {
        byte[] whole = message(1, BodyFixture.encode("gzip", TestRewriters.latin1("packed")));
        byte[] broken = whole.clone();
        broken[7] ^= 0x55;
        for (byte[] sent : new byte[][] {broken, Arrays.copyOf(whole, whole.length - 1)}) {
            BodyFixture fixture = inflating("gzip", CAP);
            fixture.send(sent);
            fixture.finish();
            assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.CORRUPT_CODING);
            fixture.assertNothingHeld();
        }
    }

    @Test
    @DisplayName("are left as they are told where the stream ends within a prefix")
    void aPrefixThatIsCutOffGoesOn() {
        BodyFixture fixture = inflating("gzip", CAP);
        fixture.send(new byte[] {1, 0, 0});
        fixture.finish();
        assertThat(fixture.sink.bytes()).isEqualTo(new byte[] {1, 0, 0});
        fixture.assertNothingHeld();
    }

    private static BodyFixture inflating(String coding, long cap) {
        BodyFixture fixture = new BodyFixture(BodyLimits.response(cap), -1, null, "");
        fixture.body.inflateMessages(Codings.parse(coding));
        fixture.body.release(fixture.sink);
        return fixture;
    }

    private static byte[] message(int flag, byte[] content) {
        return ByteBuffer.allocate(5 + content.length)
                .put((byte) flag)
                .putInt(content.length)
                .put(content)
                .array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
