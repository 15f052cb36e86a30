/**
 * The transform service API: messages and stubs generated from {@code transform/v1/transform.proto}, which is in this
 * artifact too and says everything there is to know.
 *
 * <p>Starting points: {@link dev.sallyport.transform.v1.TransformServiceGrpc.TransformServiceImplBase}, which a server
 * extends; {@link dev.sallyport.transform.v1.TransformRequestRequest},
 * {@link dev.sallyport.transform.v1.TransformRequestResponse}.
 */
package dev.sallyport.transform.v1;
