package dev.sallyport.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What makes a message read as something else")
class MessageFaultsTest {

    private static HeaderBlock block(String... fields) {
        HeaderBlock block = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            block.append(fields[i], fields[i + 1]);
        }
        return block;
    }

    private static String findInRequest(String method, String path, String query) {
        return MessageFaults.find(new RequestMessage(method, path, query, block("Host", "a.test"), 0));
    }

    @Test
    @DisplayName("is not in messages as they should be")
    void acceptsWhatIsValid() {
        assertThat(findInRequest("M-SEARCH", "*", null)).isNull();
        assertThat(findInRequest("GET", "/\u00e4?", "a=%20\u00ff")).isNull();
        assertThat(MessageFaults.find(new ResponseMessage(200, "", block(), 0))).isNull();
        assertThat(MessageFaults.find(new ResponseMessage(200, "Sch\u00f6n \t\u0001", block(), 0)))
                .isNull();
        assertThat(MessageFaults.find(block("X", "", "y", " \u00e4\t\u0001\u007f ")))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GE T", "GET\r\n", "G\u00cbT", "GET\0", "\u0147ET"})
    @DisplayName("can be a method")
    void method(String method) {
        assertThat(findInRequest(method, "/", null)).isEqualTo("the method is not a token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a b", "/a\r\nX: y", "/\0", "/\t", "/\u007f", "/\u0120"})
    @DisplayName("can be a path or a query")
    void target(String text) {
        String fault = "the target holds white space or a control character";
        assertThat(findInRequest("GET", text, null)).isEqualTo(fault);
        assertThat(findInRequest("GET", "/", text)).isEqualTo(fault);
        assertThat(findInRequest("GET", "", null)).isEqualTo(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\0", "a\u0100", "\u010a"})
    @DisplayName("can be a name, a value or a reason phrase, of which nothing is quoted")
    void lines(String text) {
        assertThat(MessageFaults.find(block("x", "y", text, "x"))).isEqualTo("a field name is not a token");
        assertThat(MessageFaults.find(block("x", "y", "Key", text)))
                .isEqualTo("a field value holds a line break, NUL or a wide character");
        assertThat(MessageFaults.find(new ResponseMessage(200, text, block(), 0)))
                .isEqualTo("the reason phrase holds a line break, NUL or a wide character");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "a\t", "\u00e4"})
    @DisplayName("can be a name that is not a token")
    void names(String name) {
        assertThat(MessageFaults.find(block(name, "x"))).isEqualTo("a field name is not a token");
    }
}
