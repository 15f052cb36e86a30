package dev.sallyport.toolkit.headers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Protocols of calls by their media type")
class CallProtocolTest {

    @ParameterizedTest
    @CsvSource({
        "application/grpc, GRPC",
        "Application/gRPC+proto, GRPC",
        "application/grpc-web-text, GRPC",
        "application/connect+json; charset=utf-8, CONNECT",
        "application/Connect+Proto, CONNECT",
        "application/connect,",
        "application/proto,",
        "application/json,",
        "text/application/grpc,",
        ","
    })
    void areToldByItsBeginning(String type, CallProtocol protocol) {
        assertThat(CallProtocol.of(type)).isEqualTo(protocol);
    }
}
