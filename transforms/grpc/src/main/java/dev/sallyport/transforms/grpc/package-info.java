/**
 * The transform {@code grpc}: hands requests and responses to an external server that implements
 * {@code transform.v1.TransformService}.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.grpc.GrpcFactory},
 * {@link dev.sallyport.transforms.grpc.GrpcConfig}, {@link dev.sallyport.transforms.grpc.RequestCall},
 * {@link dev.sallyport.transforms.grpc.ServerChannel}.
 */
@NullMarked
package dev.sallyport.transforms.grpc;

import org.jspecify.annotations.NullMarked;
