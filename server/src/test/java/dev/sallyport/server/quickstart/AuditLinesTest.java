package dev.sallyport.server.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditLinesTest {

    @Test
    void the_sink_parses_every_line_of_a_batch() throws Exception {
        List<String> ids = new ArrayList<>();
        ByteBuffer batch = ByteBuffer.wrap("{\"id\":1}\n{\"id\":2}\n".getBytes(StandardCharsets.UTF_8));

        try (AuditLines sink =
                new AuditLines(record -> ids.add(record.path("id").asText()))) {
            sink.write(batch);
        }

        assertThat(ids).containsExactly("1", "2");
        assertThat(batch.hasRemaining()).isFalse();
    }
}
