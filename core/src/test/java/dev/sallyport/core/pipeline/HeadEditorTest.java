package dev.sallyport.core.pipeline;

import static dev.sallyport.core.pipeline.PipelineFixture.injecting;
import static dev.sallyport.core.pipeline.PipelineFixture.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Part;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an edit of a head needs, what it may put there, and that a refused one changes nothing. */
class HeadEditorTest {

    private static final Stage ALL = writing(Part.values());

    private final HeaderBlock fields = new HeaderBlock(8);
    private final RequestMessage request = new RequestMessage("GET", "/a", "q=1", fields, 0);
    private final ResponseMessage response = new ResponseMessage(200, "OK", fields, 0);

    private void refuses(Stage stage, Edit edit, String why) {
        fields.append("Kept", "1");
        assertThatThrownBy(() -> HeadEditor.apply(stage, edit, request))
                .isInstanceOfSatisfying(StageException.class, fault -> {
                    assertThat(fault.status()).isEqualTo(500);
                    assertThat(fault.code()).isEqualTo("transform_failed");
                    assertThat(fault.text()).contains(why);
                });
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.target()).isEqualTo("/a?q=1");
        assertThat(fields.size()).isOne();
        assertThat(fields.first("Kept")).isEqualTo("1");
    }

    @Test
    void eachPartMustHaveBeenDeclared() {
        Map<Part, Edit> edits = Map.of(
                Part.METHOD, new Edit.SetMethod("POST"),
                Part.PATH, new Edit.SetPath("/b", false),
                Part.QUERY, new Edit.SetQuery("b", false),
                Part.REQUEST_HEADERS, new Edit.AddHeader("A", "1", false));
        edits.forEach((part, edit) -> {
            HeaderBlock own = new HeaderBlock(4);
            RequestMessage head = new RequestMessage("GET", "/a", null, own, 0);
            for (Part other : Part.values()) {
                if (other != part) {
                    assertThatThrownBy(() -> HeadEditor.apply(writing(other), edit, head))
                            .hasMessage("edit of " + part + " was not declared");
                }
            }
            assertThat(own.size()).isZero();
            assertThat(HeadEditor.apply(writing(part), edit, head)).isTrue();
        });
    }

    @Test
    void aSensitiveEditNeedsItsEffect() {
        Edit edits = new Edit.AddHeader("A", "secret", true);
        refuses(ALL, edits, "INJECTS_CREDENTIAL");

        assertThat(HeadEditor.apply(injecting(Part.REQUEST_HEADERS), edits, request))
                .isTrue();
        assertThat(request.hasSensitive()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT", "", "G T", "GET\r\nA: b", "G:T", "\u00e9"})
    void aMethodThatIsNone(String method) {
        refuses(ALL, new Edit.SetMethod(method), "method: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "b", "/b?c", "/b#c", "/b c", "/b\r\n", "/\u0100", "http://b/"})
    void aPathThatIsNone(String path) {
        refuses(ALL, new Edit.SetPath(path, false), "path: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a#b", "a b", "a\r\nb", "\u0100"})
    void aQueryThatIsNone(String query) {
        refuses(ALL, new Edit.SetQuery(query, false), "query: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A B", "A:", "A\r\nB", "\u00e9", ":path"})
    void aNameThatIsNone(String name) {
        refuses(ALL, new Edit.AddHeader(name, "1", false), "header name: not a token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nB: c", "a\nb", "a\0b", "\u0100"})
    void aValueThatIsNone(String value) {
        refuses(ALL, new Edit.AddHeader("A", value, false), "header A: value holds");
        fields.removeAll("Kept");
        refuses(ALL, new Edit.SetHeader("A", List.of(value), false), "header A: value holds");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host", "Content-Length", "content-length", "Transfer-Encoding", "Connection"})
    void fieldsOfTheEngineAreNotTouched(String name) {
        refuses(ALL, new Edit.AddHeader(name, "1", false), "belongs to the engine");
        fields.removeAll("Kept");
        refuses(ALL, new Edit.RemoveHeader(name), "belongs to the engine");
    }

    @Test
    void settingReplacesAllLinesWhereTheFirstWas() {
        fields.append("A", "1");
        fields.append("B", "2");
        fields.append("a", "3");
        HeadEditor.apply(ALL, new Edit.SetHeader("A", List.of("x"), false), request);

        assertThat(fields.all("A")).containsExactly("x");
        assertThat(fields.first("B")).isEqualTo("2");

        HeadEditor.apply(ALL, new Edit.AddHeader("a", "y", false), request);
        assertThat(fields.all("A")).containsExactly("x", "y");

        HeadEditor.apply(ALL, new Edit.RemoveHeader("A"), request);
        assertThat(fields.contains("A")).isFalse();
        assertThat(fields.size()).isOne();
    }

    @ParameterizedTest
    @CsvSource({"0,x 2 3", "1,1 x 3", "2,1 2 x"})
    void oneLineOfSeveralIsSet(int occurrence, String all) {
        fields.append("A", "1");
        fields.append("B", "b");
        fields.append("a", "2");
        fields.append("A", "3");
        HeadEditor.apply(ALL, new Edit.SetHeaderValue("A", occurrence, "x", false), request);

        assertThat(fields.all("A")).containsExactly(all.split(" ", -1));
        assertThat(fields.first("B")).isEqualTo("b");
    }

    @Test
    void aLineThatIsNotThereCannotBeSet() {
        refuses(ALL, new Edit.SetHeaderValue("Kept", 1, "x", false), "has no line 1");
        fields.removeAll("Kept");
        refuses(ALL, new Edit.SetHeaderValue("A", 0, "x", false), "has no line 0");
    }

    @Test
    void whatIsNoEditOfTheHeadIsLeftToOthers() {
        assertThat(HeadEditor.apply(ALL, new Edit.ReplaceBody(new byte[0], false), request))
                .isFalse();
        assertThat(HeadEditor.apply(ALL, new Edit.ReplaceBody(new byte[0], false), response))
                .isFalse();
        assertThat(HeadEditor.apply(ALL, new Edit.SetPath("/b", false), response))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 404, 599})
    void aStatusBringsItsPhrase(int status) {
        assertThat(HeadEditor.apply(ALL, new Edit.SetStatus(status, ""), response))
                .isTrue();
        assertThat(response.status()).isEqualTo(status);

        HeadEditor.apply(ALL, new Edit.SetStatus(status, "Own words"), response);
        assertThat(response.reason()).isEqualTo("Own words");
    }

    @Test
    void thePhraseIsThatOfTheRegistry() {
        HeadEditor.apply(ALL, new Edit.SetStatus(451, ""), response);

        assertThat(response.reason()).isEqualTo("Unavailable For Legal Reasons");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 101, 199, 600, -1})
    void aStatusThatNoFinalResponseHas(int status) {
        assertThatThrownBy(() -> HeadEditor.apply(ALL, new Edit.SetStatus(status, ""), response))
                .isInstanceOf(RuntimeException.class);
        assertThat(response.status()).isEqualTo(200);
    }

    @Test
    void anInterimResponseStaysWhatItIs() {
        ResponseMessage early = new ResponseMessage(103, "Early Hints", fields, 0);

        assertThatThrownBy(() -> HeadEditor.apply(ALL, new Edit.SetStatus(200, ""), early))
                .hasMessageContaining("an interim response stays as it is");
        assertThat(HeadEditor.apply(ALL, new Edit.SetStatus(103, "x"), early)).isTrue();
        assertThat(early.reason()).isEqualTo("x");
    }

    @Test
    void aReasonCannotBringALine() {
        assertThatThrownBy(() -> HeadEditor.apply(ALL, new Edit.SetStatus(200, "OK\r\nA: b"), response))
                .isInstanceOf(RuntimeException.class);
        assertThat(response.reason()).isEqualTo("OK");
    }

    @Test
    void whatAnEditAddsIsCounted() {
        assertThat(HeadEditor.size(new Edit.AddHeader("Name", "value", false))).isEqualTo(4 + 5 + 96);
        assertThat(HeadEditor.size(new Edit.SetHeader("Name", List.of("a", "bc"), false)))
                .isEqualTo(2 * (4 + 96) + 3);
        assertThat(HeadEditor.size(new Edit.SetHeader("Name", List.of(), false)))
                .isZero();
        assertThat(HeadEditor.size(new Edit.SetHeaderValue("Name", 0, "abc", false)))
                .isEqualTo(3);
        assertThat(HeadEditor.size(new Edit.SetPath("/ab", false))).isEqualTo(3);
        assertThat(HeadEditor.size(new Edit.SetQuery("ab", false))).isEqualTo(2);
        assertThat(HeadEditor.size(new Edit.RemoveHeader("Name"))).isZero();
    }
}
