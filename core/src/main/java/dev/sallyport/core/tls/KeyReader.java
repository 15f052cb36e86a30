package dev.sallyport.core.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.ASN1BitString;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.RSAPrivateKey;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.ECNamedCurveTable;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.jspecify.annotations.Nullable;

/** Reads RSA and EC private keys as PKCS#8, PKCS#1 or SEC1. */
final class KeyReader {

    private static final String PKCS1 = "RSA PRIVATE KEY";
    private static final String SEC1 = "EC PRIVATE KEY";
    private static final String ENCRYPTED_PKCS8 = "ENCRYPTED PRIVATE KEY";

    private static final Set<ASN1ObjectIdentifier> CURVES =
            Set.of(SECObjectIdentifiers.secp256r1, SECObjectIdentifiers.secp384r1, SECObjectIdentifiers.secp521r1);
    private static final String EXPECTED = "RSA, or EC on P-256, P-384 or P-521";

    private final String file;

    /**
     * A key as found in a file.
     *
     * @param publicKey the public key that the file states beside the private one, encoded as in certificates; null
     *     when it states none, or when {@code key} contains it
     */
    record Found(PrivateKey key, byte @Nullable [] publicKey) {}

    KeyReader(String file) {
        this.file = file;
    }

    /** The first private key of the text; ignores other blocks, such as {@code EC PARAMETERS}. */
    Found read(String pem) throws TlsMaterialException {
        List<Pem.Block> blocks = Pem.blocks(pem, file);
        for (Pem.Block block : blocks) {
            if (block.legacyEncrypted() || block.label().equals(ENCRYPTED_PKCS8)) {
                throw new TlsMaterialException(file, "the private key is encrypted", "a key without passphrase");
            }
            PrivateKeyInfo info = info(block, blocks);
            if (info != null) {
                return new Found(key(info), publicKey(info));
            }
        }
        throw new TlsMaterialException(
                file,
                "no private key block, found: " + Pem.found(blocks),
                "PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY in PEM");
    }

    private @Nullable PrivateKeyInfo info(Pem.Block block, List<Pem.Block> blocks) throws TlsMaterialException {
        try {
            return switch (block.label()) {
                case Pem.PKCS8 -> PrivateKeyInfo.getInstance(block.der());
                case PKCS1 ->
                    new PrivateKeyInfo(
                            new AlgorithmIdentifier(PKCSObjectIdentifiers.rsaEncryption, DERNull.INSTANCE),
                            RSAPrivateKey.getInstance(block.der()));
                case SEC1 -> sec1(ECPrivateKey.getInstance(block.der()), blocks);
                default -> null;
            };
        } catch (IOException | RuntimeException e) {
            throw new TlsMaterialException(file, "the " + block.label() + " block is damaged");
        }
    }

    /** The curve is in the key itself or, in old files, only in the {@code EC PARAMETERS} before it. */
    private PrivateKeyInfo sec1(ECPrivateKey key, List<Pem.Block> blocks) throws IOException, TlsMaterialException {
        ASN1Encodable curve = key.getParametersObject();
        for (int i = 0; curve == null && i < blocks.size(); i++) {
            if (blocks.get(i).label().equals("EC PARAMETERS")) {
                curve = ASN1Primitive.fromByteArray(blocks.get(i).der());
            }
        }
        if (curve == null) {
            throw new TlsMaterialException(file, "the EC PRIVATE KEY block does not name its curve");
        }
        return new PrivateKeyInfo(new AlgorithmIdentifier(X9ObjectIdentifiers.id_ecPublicKey, curve), key);
    }

    /** RFC 5915, section 3: OpenSSL writes it, Java does not. */
    private byte @Nullable [] publicKey(PrivateKeyInfo info) throws TlsMaterialException {
        AlgorithmIdentifier algorithm = info.getPrivateKeyAlgorithm();
        if (!algorithm.getAlgorithm().equals(X9ObjectIdentifiers.id_ecPublicKey)) {
            return null;
        }
        try {
            ASN1BitString point =
                    ECPrivateKey.getInstance(info.parsePrivateKey()).getPublicKey();
            return point == null ? null : new SubjectPublicKeyInfo(algorithm, point.getOctets()).getEncoded();
        } catch (IOException | RuntimeException e) {
            throw new TlsMaterialException(file, "the EC key is damaged");
        }
    }

    private PrivateKey key(PrivateKeyInfo info) throws TlsMaterialException {
        var algorithm = info.getPrivateKeyAlgorithm().getAlgorithm();
        String name;
        if (algorithm.equals(PKCSObjectIdentifiers.rsaEncryption)) {
            name = "RSA";
        } else if (algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey)) {
            name = "EC";
        } else {
            throw new TlsMaterialException(file, "unsupported key algorithm " + algorithm.getId(), "an RSA or EC key");
        }
        if (name.equals("EC") && info.getPrivateKeyAlgorithm().getParameters() instanceof ASN1ObjectIdentifier curve) {
            checkCurve(curve);
        }
        try {
            return KeyFactory.getInstance(name).generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsMaterialException(file, "the " + name + " key cannot be used", EXPECTED);
        }
    }

    /** Java reads keys on more curves than it signs with. */
    private void checkCurve(ASN1ObjectIdentifier curve) throws TlsMaterialException {
        if (!CURVES.contains(curve)) {
            String name = ECNamedCurveTable.getName(curve);
            throw new TlsMaterialException(
                    file,
                    "the EC key is on " + (name == null ? curve.getId() : name) + ", which cannot sign here",
                    EXPECTED);
        }
    }
}
