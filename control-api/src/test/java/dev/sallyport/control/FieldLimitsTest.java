package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 15: what is as long as a field may be is taken, and one character more is not. */
class FieldLimitsTest {

    private static final Map<String, String> BODIES = Map.of(
            "/v1/users",
            "{\"first_name\": \"a\", \"last_name\": \"b\", \"email\": \"EMAIL\", \"password\": \"correct horse\"}",
            "/v1/api-keys",
            "{\"name\": \"a\"}",
            "/v1/egress/rules",
            "{\"name\": \"a\", \"host\": \"a.test\"}",
            "/v1/policies/mcp",
            "{\"name\": \"a\", \"priority\": 1}");

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();

    private Api.Reply post(String path, String field, String value) {
        ObjectNode body = (ObjectNode) Api.tree(BODIES.get(path).replace("EMAIL", TestControl.newEmail()));
        body.put(field, value);
        return api.post(path, body.toString());
    }

    private static void isRefused(Api.Reply reply, String field) {
        assertThat(reply.error()).as(reply.text()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/users,first_name,1,64",
        "/v1/users,last_name,1,64",
        "/v1/users,password,8,256",
        "/v1/api-keys,name,1,64",
        "/v1/egress/rules,name,1,64",
        "/v1/egress/rules,comment,0,1024",
        "/v1/policies/mcp,name,1,64"
    })
    void aFieldHasSoManyCharacters(String path, String field, int least, int most) {
        isRefused(post(path, field, "x".repeat(most + 1)), field);
        if (least > 0) {
            isRefused(post(path, field, "x".repeat(least - 1)), field);
            assertThat(post(path, field, "x".repeat(least)).status()).isEqualTo(201);
        }
        assertThat(post(path, field, "x".repeat(most)).status()).isEqualTo(201);
    }

    /** Characters, not bytes, nor halves of them. */
    @ParameterizedTest
    @ValueSource(strings = {"\u00E9", "\u4E2D", "\uD83D\uDE00"})
    void whatIsCountedAreCharacters(String character) {
        assertThat(post("/v1/users", "password", character.repeat(256)).status())
                .isEqualTo(201);
        isRefused(post("/v1/users", "password", character.repeat(257)), "password");
        isRefused(post("/v1/users", "password", character.repeat(7)), "password");
    }

    @ParameterizedTest
    @CsvSource({"254,201", "255,422"})
    void anEMailAddressHas254CharactersAtMost(int length, int status) {
        String name = TestControl.newEmail().replaceAll("@.*", "");
        String local = name + "a".repeat(64 - name.length());
        String email = local + "@" + "b".repeat(63) + "." + "c".repeat(63) + "." + "d".repeat(length - 65 - 128);

        Api.Reply reply = post("/v1/users", "email", email);

        assertThat(email).hasSize(length);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }
}
