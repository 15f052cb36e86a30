package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.net.request.DestinationResolver;
import dev.sallyport.core.testing.Cut;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.testsupport.ClientHelloBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A ClientHello is read, refused or waited for, the same however it is cut, in memory that its length bounds; and whoever
 * terminates the TLS does not find another name in it.
 */
class ClientHelloReaderFuzzTest {

    private static final int LONGEST = 1024;
    private static final int FIRST_BUFFER = 512;

    @TempDir
    static Path folder;

    private static ServerNames servers;

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);

    /** Without a hello and without a fault, more is waited for. */
    private record Outcome(
            @Nullable ClientHello hello, @Nullable String fault) {}

    @BeforeAll
    static void begin() throws Exception {
        servers = new ServerNames(folder);
    }

    static Stream<Arguments> seeds() throws Exception {
        byte[] named = ClientHelloBuilder.naming("a.test").bytes();
        return new Seeds()
                        .add("the JDK's", ofJdk())
                        .add("a name", named)
                        .add(
                                "no extensions",
                                ClientHelloBuilder.records(ClientHelloBuilder.message(1, new byte[41]), 16_384))
                        .add("no name", ClientHelloBuilder.anonymous().bytes())
                        .add(
                                "records of one byte",
                                ClientHelloBuilder.naming("a.test").records(1))
                        .add(
                                "records of seven bytes",
                                ClientHelloBuilder.naming("a.test").records(7))
                        .add(
                                "encrypted",
                                ClientHelloBuilder.naming("outer.test").ech().bytes())
                        .add(
                                "two names",
                                ClientHelloBuilder.naming("a.test")
                                        .serverName("b.test")
                                        .bytes())
                        .add(
                                "a list of two names",
                                ClientHelloBuilder.anonymous()
                                        .extension(0, new byte[] {0, 8, 0, 0, 1, 'a', 0, 0, 1, 'b'})
                                        .bytes())
                        .add("an empty name", ClientHelloBuilder.naming("").bytes())
                        .add(
                                "a name with NUL",
                                ClientHelloBuilder.naming("a.test\0.b.test").bytes())
                        .add(
                                "a name outside ASCII",
                                ClientHelloBuilder.naming("\u00fc.test").bytes())
                        .add(
                                "as long as may be",
                                ClientHelloBuilder.naming("a.test")
                                        .paddedTo(LONGEST)
                                        .bytes())
                        .add(
                                "longer",
                                ClientHelloBuilder.naming("a.test")
                                        .paddedTo(LONGEST + 1)
                                        .bytes())
                        .add(
                                "another version",
                                ClientHelloBuilder.naming("a.test")
                                        .version(0x0301)
                                        .bytes())
                        .add(
                                "a ServerHello",
                                ClientHelloBuilder.records(ClientHelloBuilder.message(2, new byte[40]), 100))
                        .add("an empty record", new byte[] {22, 3, 1, 0, 0})
                        .add("a record too long", new byte[] {22, 3, 1, 0x40, 1})
                        .add("cut short", Arrays.copyOf(named, named.length - 1))
                        .add("no TLS", "GET / HTTP/1.1\r\n\r\n")
                        .stream();
    }

    private static byte[] ofJdk() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine("a.test", 443);
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(32 * 1024);
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    @DictionaryEntries({
        "\\x16\\x03\\x01",
        "\\x16\\x03\\x03",
        "\\x00\\x00\\x00\\x0b\\x00\\x09\\x00\\x00\\x06a.test",
        "\\xfe\\x0d",
        "\\x00\\x2b\\x00\\x03\\x02\\x03\\x04",
        "\\x00\\x15",
        "\\x00\\x01",
        "\\x40\\x00"
    })
    @MethodSource("seeds")
    @FuzzTest
    void everyReaderSeesTheSameName(byte[] data) {
        Outcome whole = read(data, Cut.WHOLE);

        assertThat(read(data, Cut.BYTES)).isEqualTo(whole);
        assertThat(read(data, Cut.PIECES)).isEqualTo(whole);
        if (whole.hello != null && isUsed(whole.hello.serverName())) {
            assertThat(servers.ofJdk(data)).isIn(null, whole.hello.serverName());
            assertThat(servers.ofBoringSsl(data)).isIn(null, whole.hello.serverName());
        }
    }

    /** What cannot be a host is refused, and no server is asked about it. */
    private static boolean isUsed(@Nullable String name) {
        return name == null || DestinationResolver.canonicalOrNull(name) != null;
    }

    private Outcome read(byte[] data, Cut cut) {
        ByteBuf in = Unpooled.buffer(Math.max(1, data.length));
        try (ClientHelloReader reader = new ClientHelloReader(memory, LONGEST)) {
            int from = 0;
            while (from < data.length) {
                int end = cut.end(data, from);
                in.writeBytes(data, from, end - from);
                from = end;
                ClientHello hello = reader.read(in);
                assertThat(in.readerIndex()).as("nothing is consumed").isZero();
                assertThat(memory.metric().usedHeapMemory()).isLessThanOrEqualTo(2L * Math.max(FIRST_BUFFER, from));
                if (hello != null) {
                    return new Outcome(hello, null);
                }
            }
            return new Outcome(null, null);
        } catch (ClientHello.MalformedException e) {
            return new Outcome(null, e.getMessage());
        } finally {
            assertThat(memory.metric().usedHeapMemory()).as("all is given back").isZero();
            in.release();
        }
    }
}
