package dev.sallyport.toolkit.headers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Fields that belong to the engine")
class ReservedFieldsTest {

    @ParameterizedTest
    @CsvSource({
        "Host, true, false, true",
        "Content-Length, true, false, true",
        "Transfer-Encoding, true, true, true",
        "Connection, true, true, false",
        "Proxy-Connection, true, true, false",
        "Keep-Alive, true, true, false",
        "Upgrade, true, true, false",
        "TE, true, false, false",
        "Trailer, true, false, true",
        "Proxy-Authorization, true, false, false",
        "Proxy-Authenticate, true, false, false",
        "Hose, false, false, false",
        "Upgrades, false, false, false",
        "Content-Lengths, false, false, false",
        "Authorization, false, false, false",
        "'', false, false, false",
    })
    @DisplayName("are told by name, whatever the case")
    void areToldByName(String name, boolean reserved, boolean connectionSpecific, boolean headOnly) {
        for (String written : new String[] {name, name.toLowerCase(Locale.ROOT), name.toUpperCase(Locale.ROOT)}) {
            assertThat(ReservedFields.isReserved(written)).isEqualTo(reserved);
            assertThat(ReservedFields.isConnectionSpecific(written)).isEqualTo(connectionSpecific);
            assertThat(ReservedFields.isHeadOnly(written)).isEqualTo(headOnly);
        }
    }
}
