package dev.sallyport.ctl.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerUrlTest {

    @ParameterizedTest
    @CsvSource({
        "HTTPS://Control.Example.COM/, https://control.example.com",
        "https://control.example.com:443, https://control.example.com",
        "http://127.0.0.1:80/, http://127.0.0.1",
        "http://127.0.0.1:8090/base//, http://127.0.0.1:8090/base",
        "http://[::1]:8090, http://[::1]:8090"
    })
    void anAddressHasOneSpelling(String text, String expected) throws Exception {
        assertThat(ServerUrl.parse(text, "it")).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8090, false",
        "http://127.8.0.1, false",
        "http://localhost, false",
        "http://[::1]:1, false",
        "https://192.0.2.1, false",
        "http://192.0.2.1, true",
        "http://localhost.example.com, true",
        "http://127.0.0.1.example.com, true"
    })
    void plainHttpToAnotherMachineIsExposed(URI server, boolean exposed) {
        assertThat(ServerUrl.isExposed(server)).isEqualTo(exposed);
    }
}
