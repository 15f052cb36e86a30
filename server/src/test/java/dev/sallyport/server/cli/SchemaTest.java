package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.SchemaGenerator;
import dev.sallyport.server.plugin.Plugins;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 8: the schema is generated from the records and committed. */
class SchemaTest {

    /** With {@code -Dsallyport.docs.update=true} it is brought up to date instead. */
    @Test
    void the_committed_schema_is_that_of_this_build() throws Exception {
        Path committed = Path.of("..", "docs", "sallyport.schema.json");

        try (Plugins plugins = Plugins.load(null)) {
            String schema = SchemaGenerator.generate(plugins.catalog());
            if (Boolean.getBoolean("sallyport.docs.update")) {
                Files.writeString(committed, schema);
            }
            assertThat(Files.readString(committed))
                    .as("docs/sallyport.schema.json has drifted; run: ./sallyport schema > docs/sallyport.schema.json")
                    .isEqualTo(schema);
        }
    }
}
