package dev.sallyport.core.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 7692, 7.1: what is offered, and what an answer to it means. */
class PerMessageDeflateTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "permessage-deflate                                       | permessage-deflate",
                "PerMessage-Deflate; client_max_window_bits               | PerMessage-Deflate; client_max_window_bits",
                "permessage-bzip2                                         | ''",
                "permessage-deflate-frame                                 | ''",
                "x-permessage-deflate, permessage-deflate;a=1             | permessage-deflate;a=1",
                "permessage-deflate;server_max_window_bits=10,permessage-deflate"
                        + " | permessage-deflate;server_max_window_bits=10, permessage-deflate",
                "' , ,'                                                   | ''",
            })
    void ofAnOfferOnlyWhatIsUnderstoodIsLeft(String offer, String left) {
        assertThat(PerMessageDeflate.understood(List.of(offer))).isEqualTo(left);
    }

    @Test
    void theLinesOfAnOfferAreOneList() {
        assertThat(PerMessageDeflate.understood(List.of("a, permessage-deflate; x", "b", "permessage-deflate; y")))
                .isEqualTo("permessage-deflate; x, permessage-deflate; y");
        assertThat(PerMessageDeflate.understood(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", " , ,"})
    void anEmptyAnswerAgreesUponNothing(String answer) throws MessageException {
        assertThat(PerMessageDeflate.agreed(List.of())).isNull();
        assertThat(PerMessageDeflate.agreed(List.of(answer))).isNull();
    }

    @Test
    void withoutParametersBothSidesKeepTheWholeWindow() throws MessageException {
        assertThat(PerMessageDeflate.agreed(List.of("permessage-deflate")))
                .isEqualTo(new PerMessageDeflate(true, true, 15, 15));
    }

    @Test
    void eachParameterConcernsItsOwnSide() throws MessageException {
        assertThat(PerMessageDeflate.agreed(List.of("permessage-deflate; client_no_context_takeover")))
                .isEqualTo(new PerMessageDeflate(false, true, 15, 15));
        assertThat(PerMessageDeflate.agreed(List.of("permessage-deflate; server_no_context_takeover")))
                .isEqualTo(new PerMessageDeflate(true, false, 15, 15));
        assertThat(PerMessageDeflate.agreed(
                        List.of("", "PERMESSAGE-DEFLATE ;Client_Max_Window_Bits=8;server_max_window_bits = \"11\"")))
                .isEqualTo(new PerMessageDeflate(true, true, 8, 11));
    }

    @ParameterizedTest
    @CsvSource({"8", "9", "10", "14", "15"})
    void aWindowOfEveryLegalSize(int bits) throws MessageException {
        assertThat(PerMessageDeflate.agreed(List.of("permessage-deflate; server_max_window_bits=" + bits)))
                .isEqualTo(new PerMessageDeflate(true, true, 15, bits));
    }

    @ParameterizedTest
    @ValueSource(strings = {"=7", "=16", "=0", "=-8", "=08", "=010", "=8.0", "=", "", "=x", "=99999999999"})
    void aWindowThatIsNoneIsAFaultOfTheSender(String value) {
        for (String side : List.of("client", "server")) {
            assertThatThrownBy(() -> PerMessageDeflate.agreed(
                            List.of("permessage-deflate; " + side + "_max_window_bits" + value)))
                    .isInstanceOfSatisfying(MessageException.class, fault -> {
                        assertThat(fault.closeCode()).isEqualTo(1002);
                        assertThat(fault.isSenders()).isTrue();
                        assertThat(fault.text()).contains("expected: 8 to 15");
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-bzip2",
                "permessage-deflate, permessage-deflate",
                "permessage-deflate, x",
                "x, permessage-deflate",
            })
    void anotherExtensionOrASecondOneIsAFault(String answer) {
        assertThatThrownBy(() -> PerMessageDeflate.agreed(List.of(answer)))
                .isInstanceOf(MessageException.class)
                .hasMessageContaining("was not offered");
    }

    @ParameterizedTest
    @ValueSource(strings = {"; client_max_window", "; x=1", ";", "; ; client_no_context_takeover"})
    void aParameterWithoutAMeaningIsAFaultThatDoesNotQuoteIt(String parameters) {
        assertThatThrownBy(() -> PerMessageDeflate.agreed(List.of("permessage-deflate" + parameters)))
                .isInstanceOf(MessageException.class)
                .hasMessage("permessage-deflate was agreed with an unknown parameter");
    }

    /** RFC 7692, 7.1: a response that has a parameter twice fails the connection, even when both say the same. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "client_no_context_takeover; client_no_context_takeover",
                "server_no_context_takeover; SERVER_NO_CONTEXT_TAKEOVER",
                "client_max_window_bits=10; client_max_window_bits=10",
                "server_max_window_bits=9; client_max_window_bits=10; server_max_window_bits=12",
            })
    void aParameterThatComesTwiceFailsTheConnection(String parameters) {
        assertThatThrownBy(() -> PerMessageDeflate.agreed(List.of("permessage-deflate; " + parameters)))
                .isInstanceOfSatisfying(MessageException.class, fault -> {
                    assertThat(fault.closeCode()).isEqualTo(1002);
                    assertThat(fault.isSenders()).isTrue();
                })
                .hasMessage("a parameter of permessage-deflate comes twice");
    }

    /** RFC 7692, 7.1.1: these parameters have no value, so that one is an invalid value. */
    @ParameterizedTest
    @ValueSource(
            strings = {"client_no_context_takeover=1", "server_no_context_takeover=", "server_no_context_takeover=\"\""
            })
    void aValueOfAParameterThatHasNoneFailsTheConnection(String parameter) {
        assertThatThrownBy(() -> PerMessageDeflate.agreed(List.of("permessage-deflate; " + parameter)))
                .isInstanceOf(MessageException.class)
                .hasMessage("a parameter of permessage-deflate has a value (expected: none)");
    }
}
