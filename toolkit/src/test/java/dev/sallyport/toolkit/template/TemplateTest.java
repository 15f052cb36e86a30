package dev.sallyport.toolkit.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {

    private static final TemplateSchema SCHEMA = TemplateSchema.builder()
            .text("Value")
            .text("Method")
            .text("Body")
            .text("Empty")
            .number("Count")
            .number("Zero")
            .truth("Yes")
            .truth("No")
            .texts("Credentials", Set.of("id", "a-b"))
            .build();

    private static TemplateValues values() {
        return SCHEMA.values()
                .set("Value", "s3cr3t")
                .set("Method", "GET")
                .set("Body", "grüße")
                .set("Empty", "")
                .set("Count", 42)
                .set("Zero", 0)
                .set("Yes", true)
                .set("No", false)
                .set("Credentials", "id", "key-7")
                .set("Credentials", "a-b", "dashed");
    }

    private static String render(String source) throws TemplateException {
        return Template.compile(source, SCHEMA).renderText(values());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "plain~plain",
                "Bearer {{.Value}}~Bearer s3cr3t",
                "{{ .Value }}{{.Count}}{{.Yes}}~s3cr3t42true",
                "{{.Credentials.id}}~key-7",
                "{{index .Credentials \"a-b\"}}~dashed",
                "{{\"a-b\" | index .Credentials}}~dashed",
                "{{index .Credentials `a-b`}}~dashed",
                "{{\"x\"}}{{`y\\n`}}~xy\\n",
                "{{\"\\x41\\102\\u00fc\\U0001F600\\\\\\\"\"}}~AB\u00fc\uD83D\uDE00\\\"",
                "{{-3}}{{ -3 }}{{0x2a}}{{+7}}~-3-3427",
                "{{.Value | len}}~6",
                "{{len .Body}}~7",
                "{{len (printf \"%s%s\" .Value .Method)}}~9",
                "{{(len .Value)}}~6",
                "{{ ( .Value ) }}~s3cr3t",
                "{{.Value | printf \"%s-%s\" .Method}}~GET-s3cr3t",
                "{{.Value|printf \"%s\"|len}}~6",
                "{{true}}{{false}}~truefalse",
                "{{/* nothing */}}x~x",
                "a {{- /* nothing */ -}} b~ab",
                "{{/* }} */}}x~x",
                "a }} b~a }} b",
                "{ {.Value} }~{ {.Value} }",
            })
    void fieldsLiteralsPipelinesAndComments(String source, String rendered) throws Exception {
        assertThat(render(source)).isEqualTo(rendered);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "a  {{- .Value}}  b~as3cr3t  b",
                "a  {{.Value -}}  b~a  s3cr3tb",
                "a {{- .Value -}} b~as3cr3tb",
                "a {{-3}} b~a -3 b",
                "a {{- 3 -}} b~a3b",
                "{{- .Value -}}   {{- .Value -}}~s3cr3ts3cr3t",
            })
    void trimMarkers_needASpace_andTakeAllWhiteSpace(String source, String rendered) throws Exception {
        assertThat(render(source)).isEqualTo(rendered);
    }

    @Test
    void trimMarkers_takeLineEndsToo() throws Exception {
        assertThat(render("a\r\n\t {{- .Value -}} \n\n b")).isEqualTo("as3cr3tb");
        assertThat(render("{{.Method\n}}\n{{\n.Method}}")).isEqualTo("GET\nGET");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            value = {
                "{{if .Value}}y{{else}}n{{end}}~y",
                "{{if .Empty}}y{{else}}n{{end}}~n",
                "{{if .Zero}}y{{else}}n{{end}}~n",
                "{{if .Count}}y{{end}}~y",
                "{{if .No}}y{{else}}n{{end}}~n",
                "{{if eq .Method \"POST\"}}p{{else if eq .Method \"GET\"}}g{{else}}o{{end}}~g",
                "{{if .No}}1{{else if .No}}2{{else if .No}}3{{else}}4{{end}}~4",
                "{{if .Yes}}{{if .No}}a{{else}}b{{end}}{{end}}c~bc",
                "{{if and .Yes (eq .Count 42)}}y{{end}}~y",
                "{{if not .Empty}}y{{end}}~y",
                "{{if .Value | len}}y{{end}}~y",
            })
    void ifElse_readsTruthAsGoDoes(String source, String rendered) throws Exception {
        assertThat(render(source)).isEqualTo(rendered);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{{and .Value .Method}}~GET",
                "{{and .Empty .Method}}.~.",
                "{{or .Empty .Method}}~GET",
                "{{or .Value .Method}}~s3cr3t",
                "{{or .Empty .Empty}}.~.",
                "{{and .Zero .Value}}~0",
                "{{or .Zero .No}}~false",
                "{{and .Value}}~s3cr3t",
                "{{.Method | and .Value}}~GET",
                "{{eq .Method \"POST\" \"GET\"}}~true",
                "{{eq .Count 42}}{{ne .Count 42}}~truefalse",
                "{{eq .Yes true}}~true",
                "{{not .Value}}~false",
            })
    void andOr_giveOneOfTheirArguments_andComparisonsTruth(String source, String rendered) throws Exception {
        assertThat(render(source)).isEqualTo(rendered);
    }

    @Test
    void and_or_stopAtTheFirstThatDecides() throws Exception {
        TemplateValues some = SCHEMA.values().set("Empty", "").set("Method", "GET");
        assertThat(Template.compile("{{and .Empty .Value}}{{or .Method .Value}}", SCHEMA)
                        .renderText(some))
                .isEqualTo("GET");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{{printf \"%s/%v/%d/%%\" .Value .Yes .Count}}~s3cr3t/true/42/%",
                "{{printf \"%x %X\" .Method .Value}}~474554 733363723374",
                "{{printf \"%x %X %x\" 255 255 -255}}~ff FF -ff",
                "{{printf \"%q\" \"a\\\"b\\n\\x00\\xff\\u00fc\\u200b\\u00a0\"}}~\"a\\\"b\\n\\x00\\xff\u00fc\\u200b\\u00a0\"",
                "{{printf \"[%5s|%-5s]\" .Method .Method}}~[  GET|GET  ]",
                "{{printf \"%06d|%+d|% d|%-4d|%4d\" 42 42 42 42 42}}~000042|+42| 42|42  |  42",
                "{{printf \"%06d\" -42}}~-00042",
                "{{printf \"%.2s|%.9s\" .Body .Method}}~gr|GET",
                "{{printf \"%9s\" .Body}}~    gr\u00fc\u00dfe",
                "{{printf \"plain\"}}~plain",
                "{{printf \"%%d\"}}~%d",
            })
    void printf_followsGo(String source, String rendered) throws Exception {
        assertThat(render(source)).isEqualTo(rendered);
    }

    @Test
    void base64_concatenatesItsArguments_standardAndPadded() throws Exception {
        assertThat(render("Basic {{base64 \"user:\" .Value}}"))
                .isEqualTo(
                        "Basic " + Base64.getEncoder().encodeToString("user:s3cr3t".getBytes(StandardCharsets.UTF_8)));
        assertThat(render("{{base64 \"\\xfb\\xff\"}}")).isEqualTo("+/8=");
        assertThat(render("{{base64}}")).isEmpty();
        assertThat(render("{{.Value | base64 \"u:\"}}")).isEqualTo("dTpzM2NyM3Q=");
    }

    @Test
    void body_isBytes_writtenAsTheyAre_andLenCountsBytes() throws Exception {
        byte[] body = {0, (byte) 0xFF, (byte) 0xC3, 10};
        TemplateValues values = values().set("Body", body);
        assertThat(Template.compile("<{{.Body}}>", SCHEMA).render(values)).containsExactly('<', 0, 0xFF, 0xC3, 10, '>');
        assertThat(Template.compile("{{printf \"%s\" .Body}}", SCHEMA).render(values))
                .isEqualTo(body);
        assertThat(Template.compile("{{len .Body}}", SCHEMA).renderText(values)).isEqualTo("4");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Template.compile("{{.Body}}", SCHEMA).render(values, (bytes, offset, length) -> {
            assertThat(bytes).as("not copied").isSameAs(body);
            out.write(bytes, offset, length);
        });
        assertThat(out.toByteArray()).isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\0',
            value = {
                "{{.Nope}}~3~no field .Nope",
                "x{{.Credentials.secret}}~4~no field .Credentials.secret",
                "{{index .Credentials \"secret\"}}~3~no entry with that name",
                "{{index .Credentials .Method}}~3~index without a map and a string",
                "{{index .Value \"x\"}}~3~index without a map and a string",
                "{{.Credentials}}~1~all of .Credentials",
                "{{len .Credentials}}~3~all of .Credentials",
                "{{.Value.Sub}}~3~no field .Value.Sub",
                "{{nope .Value}}~3~no function nope",
                "{{len}}~3~len with 0 arguments",
                "{{len .Value .Value}}~3~len with 2 arguments",
                "{{len .Count}}~3~len of a number",
                "{{not .Yes .No}}~3~not with 2 arguments",
                "{{and}}~3~and with 0 arguments",
                "{{eq .Value}}~3~eq with 1 arguments",
                "{{eq .Value 1}}~3~different kinds",
                "{{ne .Value .Value .Value}}~3~ne with 3 arguments",
                "{{base64 .Count}}~3~base64 of a number",
                "{{printf}}~3~printf with 0 arguments",
                "{{printf .Value}}~3~printf without a format",
                "{{printf \"%d\" .Value}}~3~the verb d",
                "{{printf \"%s\" .Count}}~3~the verb s",
                "{{printf \"%s\"}}~3~fewer arguments",
                "{{printf \"x\" .Value}}~3~more arguments",
                "{{printf \"%z\" .Value}}~3~unknown verb",
                "{{printf \"%\"}}~3~unknown verb",
                "{{printf \"%05s\" .Value}}~3~flag",
                "{{printf \"%99999s\" .Value}}~3~width",
                "{{}}~3~}} where a value is required",
                "{{.Value~1~unclosed action",
                "{{.Value}} {{if .Yes}}~12~without {{end}}",
                "{{if .Yes}}a{{else}}b~1~without {{end}}",
                "{{if .Yes}}{{else}}{{else}}{{end}}~22~second {{else}}",
                "{{if}}x{{end}}~5~where a value is required",
                "{{end}}~3~{{end}} without {{if}}",
                "a{{else}}~4~{{else}} without {{if}}",
                "{{range .Value}}{{end}}~3~{{range}} is not possible",
                "{{$x := .Value}}~3~a variable",
                "{{.}}~3~a dot without a name",
                "{{(.Value}}~10~is not possible here",
                "{{.Value)}}~9~is not possible here",
                "{{.Value | \"x\"}}~12~a value in a pipeline",
                "{{.Value | .Method}}~12~a value in a pipeline",
                "{{.Value |}}~11~a value in a pipeline",
                "{{.Value .Method}}~10~an argument for something that is not a function",
                "{{\"a\".Value}}~6~after an operand",
                "{{len(.Value)}}~6~after an operand",
                "{{\"a}}~3~unclosed string",
                "{{`a}}~3~unclosed raw string",
                "{{\"\\z\"}}~4~unknown escape",
                "{{\"\\ud800\"}}~4~unknown escape",
                "{{\"\\400\"}}~4~unknown escape",
                "{{'a'}}~3~character constant",
                "{{1.5}}~3~whole number",
                "{{012}}~3~whole number",
                "{{99999999999999999999}}~3~whole number",
                "{{/* x}}~1~unclosed comment",
                "{{/* x */ }}~10~comment that ends before",
                "{{nil}}~3~no function nil",
                "{{,}}~3~unexpected character",
                "{{end .Value}}~3~{{end}} without {{if}}",
                "{{if .Yes}}x{{end .Value}}~19~is not possible here",
            })
    void whatCannotWork_isAConfigurationErrorWithItsPlace(String source, int column, String reason) {
        assertThatExceptionOfType(TemplateException.class)
                .isThrownBy(() -> Template.compile(source, SCHEMA))
                .satisfies(e -> assertThat(e.reason()).contains(reason))
                .satisfies(e -> assertThat(e.column()).as(e.getMessage()).isEqualTo(column))
                .satisfies(e -> assertThat(e.expected()).isNotBlank());
    }

    @Test
    void aPlace_hasLineAndColumn_andBecomesAConfigurationProblem() {
        assertThatExceptionOfType(TemplateException.class)
                .isThrownBy(() -> Template.compile("a\nüb {{.Nope}}", SCHEMA))
                .satisfies(e -> assertThat(e.line()).isEqualTo(2))
                .satisfies(e -> assertThat(e.column()).isEqualTo(6))
                .satisfies(e -> assertThat(e.at("/formatter").pointer()).isEqualTo("/formatter"))
                .satisfies(e -> assertThat(e.at("/formatter")).hasMessageContaining("line 2, column 6"))
                .withMessageContaining("(expected: one of .Body,");
    }

    @Test
    void nestingThatIsTooDeep_isAnErrorAndNoOverflow() {
        String source = "{{" + "(".repeat(10_000) + ".Value" + ")".repeat(10_000) + "}}";
        assertThatExceptionOfType(TemplateException.class).isThrownBy(() -> Template.compile(source, SCHEMA));
        String ifs = "{{if .Yes}}".repeat(10_000) + "{{end}}".repeat(10_000);
        assertThatExceptionOfType(TemplateException.class).isThrownBy(() -> Template.compile(ifs, SCHEMA));
    }

    @Test
    void uses_saysWhichFieldsAreRead() throws Exception {
        Template template = Template.compile("{{if .Yes}}{{.Body}}{{else}}{{.Credentials.id}}{{end}}", SCHEMA);
        assertThat(template.uses("Body")).isTrue();
        assertThat(template.uses("Value")).isFalse();
        assertThat(template.uses("Credentials", "id")).isTrue();
        assertThat(template.uses("Credentials", "a-b")).isFalse();
        assertThat(template.uses("Nope")).isFalse();
    }

    @Test
    void aMissingValue_isTheCallersMistake_andNothingShowsValues() throws Exception {
        Template template = Template.compile("{{.Value}}", SCHEMA);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> template.render(SCHEMA.values()));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> SCHEMA.values().set("Nope", "x"));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> SCHEMA.values().set("Count", "x"));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(
                        () -> template.render(TemplateSchema.builder().build().values()));
        assertThat(values().toString()).doesNotContain("s3cr3t");
    }
}
