package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Need;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All that the driver {@code oci}, its operator and its users need of a machine. Changes nothing; blocks. */
public final class Examination {

    /** Room for an image of Debian, unpacked and as an archive, and for what a few guests write. */
    private static final long LEAST_ROOM = 4L << 30;

    private Examination() {}

    /** What is needed, whether it is met or not. */
    public static List<Need> of(HostSettings settings) throws IOException, InterruptedException {
        List<Need> needs = new ArrayList<>(new Requirements(Cgroups.probe(), settings).needs());
        if (CommonNeeds.isRoot()) {
            needs.add(rules());
        }
        needs.add(room(settings.dir(), LEAST_ROOM));
        needs.add(CommonNeeds.program("mmdebstrap", "mmdebstrap, or images from tar files")
                .optional());
        needs.add(CommonNeeds.program("ssh", "openssh-client").optional());
        return needs;
    }

    /** Tries a rule of each kind that guests have, without making any. */
    private static Need rules() throws InterruptedException {
        String rules = """
                table ip sallyport-doctor {
                    chain prerouting {
                        type filter hook prerouting priority -150; policy accept;
                        meta l4proto udp counter log group 1 reject
                    }
                    chain steering {
                        type nat hook prerouting priority -100; policy accept;
                        meta l4proto tcp redirect to :1
                    }
                }
                """;
        try {
            Command.of("nft", "--check", "--file", "-").reading(rules).run();
            return Need.met("nftables", "the kernel takes the rules of guests");
        } catch (CommandException e) {
            return Need.missing(
                    "nftables",
                    "the kernel does not take the rules of guests: " + e.getMessage(),
                    "Linux 5.9 or newer, with nf_tables, nft_redir, nft_log and nft_reject_ipv4");
        }
    }

    /** The room for images and guests, where the folder is, or will be. */
    static Need room(Path folder, long least) throws IOException {
        Path present = folder;
        while (!Files.exists(present) && present.getParent() != null) {
            present = present.getParent();
        }
        long free = Files.getFileStore(present).getUsableSpace();
        String found = (free >> 20) + " MiB are free at " + folder;
        return free >= least
                ? Need.met("disk", found)
                : Need.missing("disk", found, (least >> 20) + " MiB at least, or another folder (sandboxd's --dir)");
    }
}
