package dev.sallyport.sources.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The source {@code env} of the configuration's secret sources. */
class EnvSourceFactoryTest {

    private final EnvSourceFactory factory = new EnvSourceFactory();

    private SecretSource source(String variable, Map<String, String> environment) {
        return factory.create(new EnvSource(variable), new Environment(environment));
    }

    @Test
    void readsTheVariable() throws Exception {
        SecretSource source = source("TOKEN", Map.of("TOKEN", " s3cr3t\u00e9 "));
        assertThat(source.read().text()).isEqualTo(" s3cr3t\u00e9 ");
        assertThat(source.name()).isEqualTo("TOKEN");
    }

    @Test
    void aVariableThatIsNotSetIsNamed() {
        assertThatThrownBy(() -> source("TOKEN", Map.of("OTHER", "s3cr3t")).read())
                .isInstanceOf(SecretException.class)
                .hasMessage("environment variable TOKEN is not set");
    }

    @Test
    void anEmptyVariableIsAnError() {
        assertThatThrownBy(() -> source("TOKEN", Map.of("TOKEN", "")).read())
                .isInstanceOf(SecretException.class)
                .hasMessage("environment variable TOKEN is empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A=B", "A\0B"})
    void aNameThatNoVariableCanHaveIsAProblem(String variable) {
        List<String> pointers = new ArrayList<>();
        factory.validate(new EnvSource(variable), (pointer, message, expected) -> pointers.add(pointer));
        assertThat(pointers).containsExactly("/var");
    }

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(SecretSourceFactory.class))
                .extracting(found -> found.descriptor().name())
                .contains("env");
    }
}
