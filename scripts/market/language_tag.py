"""Language tags: the part of BCP 47 (RFC 5646) that store texts are labelled with."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)",
    re.I,
)


def _pairs(letters: str) -> frozenset[str]:
    return frozenset(letters.split())


LANGUAGES: Final = _pairs(
    """aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
    is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr
    ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh
    si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo
    xh yi yo za zh zu"""
)
"""ISO 639-1. Codes of three letters (ISO 639-2 and later) are taken as they are."""

REGIONS: Final = _pairs(
    """AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
    BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ
    FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ
    IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH
    MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL
    PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD
    TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"""
)
"""ISO 3166-1, and XK for Kosovo. Numbers (UN M49) are taken as they are."""

_RENAMED: Final = {"iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "UK": "GB"}


def canonical(tag: str) -> str | None:
    """The usual spelling of a tag, or ``None`` when it is not one.

    Case follows RFC 5646, 2.1.1; replaced codes (``iw`` for ``he``) come out as their replacements.
    """
    match = _TAG.fullmatch(tag.replace("_", "-"))
    if not match:
        return None
    language, region = match["language"].lower(), (match["region"] or "").upper()
    language, region = _RENAMED.get(language, language), _RENAMED.get(region, region)
    if len(language) == 2 and language not in LANGUAGES:
        return None
    if region and not region.isdigit() and region not in REGIONS:
        return None
    parts = [language, (match["script"] or "").title(), region]
    return "-".join(part for part in parts if part) + match["variants"].lower()
