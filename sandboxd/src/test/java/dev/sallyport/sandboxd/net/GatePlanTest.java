package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.sandboxd.wire.Members;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses and the names made of them. */
class GatePlanTest {

    private static GatePlan plan(String network, int length) throws Exception {
        return new GatePlan(Members.address("subnet", network), length, 10_080, 10_053, 1024);
    }

    @Test
    void theGateHasTheFirstAddress() throws Exception {
        assertThat(plan("10.77.0.0", 16).gate()).isEqualTo("10.77.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        "10.77.0.0, false",
        "10.77.0.1, false",
        "10.77.0.2, true",
        "10.77.255.254, true",
        "10.77.255.255, false",
        "10.78.0.2, false",
        "10.76.255.255, false"
    })
    void guestsHaveTheOthers(String address, boolean expected) throws Exception {
        assertThat(plan("10.77.0.0", 16).isForGuests(Members.address("address", address)))
                .isEqualTo(expected);
    }

    @Test
    void namesFitTheKernel() throws Exception {
        GatePlan plan = plan("10.0.0.0", 8);

        assertThat(plan.cable(Members.address("address", "10.255.255.254")))
                .isEqualTo("svh16777214")
                .hasSizeLessThan(16);
        assertThat(plan.namespace(Members.address("address", "10.0.0.2"))).isEqualTo("sallyport-2");
    }

    @ParameterizedTest
    @CsvSource({
        "svh2, 10.77.0.2",
        "svh65534, 10.77.255.254",
        "svh1,",
        "svh65535,",
        "svh99999999,",
        "svh-2,",
        "svh,",
        "eth0,"
    })
    void aCableSaysWhoseItIs(String cable, String guest) throws Exception {
        assertThat(plan("10.77.0.0", 16).guest(cable))
                .isEqualTo(guest == null ? null : Members.address("address", guest));
    }

    @ParameterizedTest
    @CsvSource({"10.77.0.1, 16", "10.77.0.0, 30", "10.77.0.0, 7", "127.0.0.0, 8", "224.0.0.0, 8"})
    void aSubnetThatIsNoneIsRefused(String network, int length) {
        assertThatIllegalArgumentException().isThrownBy(() -> plan(network, length));
    }
}
