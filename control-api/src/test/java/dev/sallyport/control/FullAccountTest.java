package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits that only many rows reach (docs/control-plane.md); the database copies all but the first and the last. */
class FullAccountTest {

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    private static String id(Api.Reply made) {
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        JsonNode json = made.json();
        return (json.has("data") ? json.path("data") : json).path("id").asText();
    }

    /** @param body with a number for % */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "egress_rule | 10000 | egress rules | /v1/egress/rules | {\"host\": \"a%.test\"} | ``",
                "secret | 1000 | secrets | /v1/secrets"
                        + " | {\"name\": \"s%\", \"secret\": \"v\", \"env_var\": \"V%\"} | name env_var",
                "policy | 1000 | policies of this kind | /v1/policies/network | {\"name\": \"n%\", \"priority\": 1} | name",
                "policy | 1000 | policies of this kind | /v1/policies/mcp | {\"name\": \"m%\", \"priority\": 1} | name",
                "policy | 1000 | policies of this kind | /v1/policies/secrets"
                        + " | {\"name\": \"s%\", \"priority\": 1, \"mode\": \"replace\", \"source\": {\"var\": \"V\"}, \"replace_config\": {\"proxy_value\": \"p\"}} | name",
                "api_key | 100 | valid keys | /v1/api-keys | {\"name\": \"k%\"} | token_hash",
                "proxy | 1000 | proxies | /v1/proxies | {\"name\": \"p%\"} | name token_hash",
                "workload | 1000 | workloads | /v1/workloads | {\"name\": \"w%\"} | name"
            })
    void thatManyThereAreAndNoMore(String table, int most, String words, String path, String body, String unique)
            throws SQLException {
        String first = id(api.post(path, body.replace("%", "0")));
        int signedUpWith = table.equals("api_key") ? 1 : 0;
        control.copyRow(table, first, most - 2 - signedUpWith, unique.split(" ", -1));
        id(api.post(path, body.replace("%", "1")));

        Api.Reply refused = api.post(path, body.replace("%", "2"));

        assertThat(refused.error()).isEqualTo("409 quota_exceeded");
        assertThat(refused.text()).contains(most + " " + words + " exist");
        id(control.newAccount().post(path, body.replace("%", "2")));
        assertThat(api.delete(path + "/" + first).status()).isEqualTo(204);
        id(api.post(path, body.replace("%", "2")));
        assertThat(api.post(path, body.replace("%", "3")).error()).isEqualTo("409 quota_exceeded");
    }

    @Test
    void anAccountHas1000VariablesAndMayChangeThem() throws SQLException {
        String path = "/v1/env/";
        String body = "{\"value\": \"v\"}";
        control.copyRow(
                "environment_variable",
                api.put(path + "A0", body).json().path("id").asText(),
                998,
                "name");
        assertThat(api.put(path + "LAST", body).status()).isEqualTo(200);

        Api.Reply refused = api.put(path + "MORE", body);

        assertThat(refused.error()).isEqualTo("409 quota_exceeded");
        assertThat(refused.text()).contains("1000 environment variables exist");
        assertThat(api.put(path + "LAST", "{\"value\": \"w\"}").status()).isEqualTo(200);
        assertThat(control.newAccount().put(path + "MORE", body).status()).isEqualTo(200);
        assertThat(api.delete(path + "A0").status()).isEqualTo(204);
        assertThat(api.put(path + "MORE", body).status()).isEqualTo(200);
    }

    /** How long rows are stands beside them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "egress_rule | 4096 | egress rules | /v1/egress/rules | {\"host\": \"a%.test\"}",
                "secret | 16384 | secrets | /v1/secrets"
                        + " | {\"name\": \"s%\", \"secret\": \"v\", \"env_var\": \"V%\"}"
            })
    void thatLongTheyAreInAllAndNoLonger(String table, long kibibytes, String words, String path, String body)
            throws SQLException {
        String first = id(api.post(path, body.replace("%", "0")));
        String set = "update " + table + " set bytes = %d where id = '" + first + "'";
        control.execute(set.formatted(kibibytes * 1024 - 1));

        Api.Reply refused = api.post(path, body.replace("%", "1"));

        assertThat(refused.error()).isEqualTo("409 quota_exceeded");
        assertThat(refused.text()).contains("more than " + kibibytes + " KiB of " + words);
        control.execute(set.formatted(kibibytes * 1024 - 1024));
        id(api.post(path, body.replace("%", "1")));
    }
}
