package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages, filters and cursors of {@code /v1/vms} and of the events of a VM; docs/spec/decisions.md, section 15 ("Resource
 * API") and 15a ("Queries", "Cursors").
 */
class VmListTest {

    private static final String PATH = Sandbox.PATH;

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    private List<String> names(String query) {
        return api.get(PATH + query).data().findValuesAsText("name");
    }

    /** The identifiers on all pages of one row each. */
    private List<String> paged(String query) {
        List<String> ids = new ArrayList<>();
        JsonNode page = api.get(PATH + query + "&limit=1").json();
        ids.addAll(page.path("data").findValuesAsText("id"));
        while (page.path("has_more").asBoolean()) {
            page = api.get(PATH + query + "&limit=1&cursor="
                            + page.path("cursor").asText())
                    .json();
            ids.addAll(page.path("data").findValuesAsText("id"));
        }
        return ids;
    }

    private static void last(JsonNode page, int rows) {
        assertThat(page.path("data")).hasSize(rows);
        assertThat(page.path("has_more")).isEqualTo(Api.tree("false"));
        assertThat(page.path("cursor")).isEqualTo(Api.tree("null"));
    }

    @Test
    void aNameIsFoundExactlyAndInItsCase() {
        for (String name : List.of("a", "A", "ab", "a%", "_")) {
            Sandbox.asked(api, name);
        }

        for (String name : List.of("a", "A", "_")) {
            assertThat(names("?name=" + name)).containsExactly(name);
        }
        assertThat(names("?name=a%25")).containsExactly("a%");
        assertThat(names("?name=b")).isEmpty();
        assertThat(names("?name=")).isEmpty();
    }

    @Test
    void theLastPageSaysSoAlsoWhenItIsFullOrEmpty() {
        last(api.get(PATH).json(), 0);
        Sandbox vm = Sandbox.ready(api, "a");
        Sandbox.asked(api, "b");
        last(api.get(PATH + "?limit=2").json(), 2);
        last(api.get(PATH + "?limit=1&name=a").json(), 1);

        int events = vm.events().size();
        last(api.get(vm.path() + "/events?limit=" + events).json(), events);
        JsonNode first = api.get(vm.path() + "/events?limit=" + (events - 1)).json();
        assertThat(first.at("/data/0/at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        last(
                api.get(vm.path() + "/events?limit=" + (events - 1) + "&cursor="
                                + first.path("cursor").asText())
                        .json(),
                1);
    }

    @Test
    void whatIsMadeMeanwhileIsOnNoLaterPage() {
        for (String name : List.of("a", "b", "c")) {
            Sandbox.asked(api, name);
        }
        JsonNode page = api.get(PATH + "?limit=1").json();

        Sandbox.asked(api, "d");
        Sandbox.of(api, page.at("/data/0/id").asText()).force();

        assertThat(page.path("data").findValuesAsText("name")).containsExactly("c");
        assertThat(names("?limit=9&cursor=" + page.path("cursor").asText())).containsExactly("b", "a");
    }

    @Test
    void theOrderOfChangesIsAnotherThanThatOfCreations() {
        Sandbox first = Sandbox.ready(api, "a");
        Sandbox.ready(api, "b");
        first.stop();
        first.until("stopped/stopped");

        assertThat(names("?sort=updated_at")).containsExactly("a", "b");
        assertThat(names("?sort=updated_at&order=asc")).containsExactly("b", "a");
        assertThat(names("?sort=created_at")).containsExactly("b", "a");
        assertThat(names("?order=asc")).containsExactly("a", "b");
    }

    @Test
    void ofOneNameTheIdentifiersDecideInTheSameDirection() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Sandbox vm = Sandbox.asked(api, "a");
            ids.add(vm.id());
            vm.force();
        }

        assertThat(paged("?sort=name&order=asc")).isEqualTo(ids).isSorted();
        Collections.reverse(ids);
        assertThat(paged("?sort=name&order=desc")).isEqualTo(ids);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?cursor=x", "?cursor=", "?status_detail=ready&cursor=CURSOR"})
    void whatIsNoCursorOfThisListIs422(String query) {
        Sandbox vm = Sandbox.asked(api, "a");
        Sandbox.asked(api, "b");
        String cursor = api.get(PATH + "?limit=1").json().path("cursor").asText();

        assertThat(api.get(PATH + query.replace("CURSOR", cursor)).fields()).containsExactly("cursor");
        assertThat(api.get(vm.path() + "/events" + query.replace("CURSOR", cursor))
                        .fields())
                .containsExactly("cursor");
    }

    @Test
    void aCursorOfOtherEventsIs422() {
        Sandbox vm = Sandbox.ready(api, "a");
        Sandbox other = Sandbox.ready(api, "b");
        String cursor =
                api.get(vm.path() + "/events?limit=1").json().path("cursor").asText();

        assertThat(api.get(other.path() + "/events?cursor=" + cursor).fields()).containsExactly("cursor");
        assertThat(api.get(vm.path() + "/events?order=asc&cursor=" + cursor).fields())
                .containsExactly("cursor");
    }
}
