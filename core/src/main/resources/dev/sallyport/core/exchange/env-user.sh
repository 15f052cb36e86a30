
# 3. This proxy knows its users, and whoever fetched this is one.
case "$SALLYPORT_PROXY" in
  *://*@*) ;;
  *)
    echo "sallyport: the proxy asks for credentials, which SALLYPORT_PROXY does not have; set it and evaluate this again:" >&2
    echo "  SALLYPORT_PROXY=http://@USER@:PASSWORD@${SALLYPORT_PROXY#*://}" >&2
    ;;
esac
