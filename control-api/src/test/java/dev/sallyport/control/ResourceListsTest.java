package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the lists of egress rules, secrets, environment variables and egress events have in common, over HTTP:
 * docs/spec/decisions.md, section 15a ("Queries", "Ids", "Cursors").
 */
class ResourceListsTest {

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    /** A list, with the most that a page of it has. */
    enum Listed {
        RULES("/v1/egress/rules", 200, "egress_rule"),
        SECRETS("/v1/secrets", 200, "secret"),
        VARIABLES("/v1/env", 200, "environment_variable"),
        EVENTS("/v1/audit/egress", 500, "egress_event");

        private final String path;
        private final int most;
        private final String table;

        Listed(String path, int most, String table) {
            this.path = path;
            this.most = most;
            this.table = table;
        }
    }

    /** Makes a row; number by number they are older and younger, and come before and behind each other by name. */
    private void make(Listed list, int number) {
        switch (list) {
            case RULES ->
                assertThat(api.post(list.path, "{\"host\": \"same.test\"}").status())
                        .isEqualTo(201);
            case SECRETS ->
                assertThat(api.post(
                                        list.path,
                                        "{\"name\": \"s%1$02d\", \"secret\": \"v\", \"env_var\": \"S%1$02d\"}"
                                                .formatted(number))
                                .status())
                        .isEqualTo(201);
            case VARIABLES ->
                assertThat(api.put(list.path + "/V" + number, "{\"value\": \"v\"}")
                                .status())
                        .isEqualTo(200);
            case EVENTS -> EgressEvents.arrive(control, api, "h" + number);
        }
    }

    private void make(Listed list, int from, int to) {
        for (int i = from; i < to; i++) {
            make(list, i);
        }
    }

    private static String path(Listed list, JsonNode row) {
        return list.path + "/"
                + row.path(list == Listed.VARIABLES ? "key" : "id").asText();
    }

    private List<String> ids(Listed list, String query) {
        return api.get(list.path + "?" + query).data().findValuesAsText("id");
    }

    private static String cursor(JsonNode page) {
        return page.path("cursor").asText();
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerIsTheEnvelopeAndTheLastPageSaysThatItIsTheLast(Listed list) {
        String none = "{\"data\": [], \"has_more\": false, \"cursor\": null}";
        assertThat(api.get(list.path).json()).isEqualTo(Api.tree(none));
        make(list, 0, 2);

        JsonNode first = api.get(list.path + "?limit=1").json();
        JsonNode last = api.get(list.path + "?limit=1&cursor=" + cursor(first)).json();

        assertThat(first.propertyStream().map(Map.Entry::getKey)).containsExactly("data", "has_more", "cursor");
        assertThat(first.path("data")).hasSize(1);
        assertThat(first.path("has_more").asBoolean()).isTrue();
        assertThat(first.path("cursor").isTextual()).isTrue();
        assertThat(last.path("data")).hasSize(1);
        assertThat(last.path("has_more").asBoolean(true)).isFalse();
        assertThat(last.path("cursor").isNull()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"SECRETS", "VARIABLES"})
    void aPageHas50UnlessTheLimitSaysElse(Listed list) {
        make(list, 0, 51);

        assertThat(ids(list, "")).hasSize(50);
        assertThat(ids(list, "limit=" + list.most)).hasSize(51);
    }

    @ParameterizedTest
    @CsvSource({
        "SECRETS, ''",
        "SECRETS, order=asc",
        "SECRETS, sort=created_at&order=desc",
        "SECRETS, sort=name",
        "SECRETS, sort=name&order=asc",
        "VARIABLES, ''"
    })
    void pagesHaveEveryRowOnceWhateverIsMadeAndDeletedMeanwhile(Listed list, String query) {
        make(list, 0, 5);
        List<String> expected = ids(list, query);
        List<String> seen = new ArrayList<>();
        String cursor = "";
        int next = 5;
        do {
            JsonNode page = api.get(list.path + "?limit=2&" + query + cursor).json();
            JsonNode rows = page.path("data");
            seen.addAll(rows.findValuesAsText("id"));
            api.delete(path(list, rows.get(rows.size() - 1))); // the row that the cursor names
            make(list, next++);
            cursor = page.path("has_more").asBoolean() ? "&cursor=" + cursor(page) : "";
        } while (!cursor.isEmpty());

        assertThat(expected).hasSize(5);
        assertThat(seen).doesNotHaveDuplicates().containsSubsequence(expected);
    }

    @Test
    void aCursorOfSecretsIsBoundToSortOrderAndName() {
        make(Listed.SECRETS, 0, 3);
        String cursor = cursor(api.get("/v1/secrets?limit=1&sort=name").json());

        for (String other : List.of("", "sort=created_at", "sort=name&order=asc", "sort=name&name=s00")) {
            assertThat(api.get("/v1/secrets?" + other + "&cursor=" + cursor).fields())
                    .as(other)
                    .containsExactly("cursor");
        }
        assertThat(ids(Listed.SECRETS, "sort=name&order=desc&limit=200&cursor=" + cursor))
                .hasSize(2);
    }

    @Test
    void aCursorIsOfItsListAlone() {
        Map<Listed, String> cursors = new EnumMap<>(Listed.class);
        for (Listed list : Listed.values()) {
            make(list, 0, 2);
            cursors.put(list, cursor(api.get(list.path + "?limit=1").json()));
        }

        cursors.forEach((from, cursor) -> {
            for (Listed list : Listed.values()) {
                Api.Reply reply = api.get(list.path + "?cursor=" + cursor);
                if (list == from) {
                    assertThat(reply.data()).hasSize(1);
                } else {
                    assertThat(reply.error()).as(from + " in " + list).isEqualTo("422 validation_error");
                    assertThat(reply.fields()).containsExactly("cursor");
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"RULES, ''", "RULES, sort=host", "SECRETS, ''", "VARIABLES, ''"})
    void tiesAreInTheOrderOfTheirIdentifiersInTheSameDirection(Listed list, String query) throws SQLException {
        make(list, 0, 4);
        control.execute("update " + list.table + " set created_at = 1767225600000 where organization_id = '"
                + EgressEvents.organization(api) + "'");

        assertThat(ids(list, query)).hasSize(4).isSortedAccordingTo(Comparator.reverseOrder());
        if (list != Listed.VARIABLES) { // they have one order
            assertThat(ids(list, query + "&order=asc")).hasSize(4).isSorted();
        }
    }

    @ParameterizedTest
    @EnumSource
    void unknownParametersAreIgnoredAndARepeatedOrMalformedKnownOneIs422(Listed list) {
        assertThat(api.get(list.path + "?unknown=1&unknown=2").status()).isEqualTo(200);
        for (String query : List.of("limit=1&limit=1", "limit=", "limit=x", "limit=1.0", "limit=-1")) {
            assertThat(api.get(list.path + "?" + query).fields()).as(query).containsExactly("limit");
        }
        assertThat(api.get(list.path + "?cursor=").fields()).containsExactly("cursor");
    }
}
